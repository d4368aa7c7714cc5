/** Whether the document is the page of a name. */
export const isCurrent = (page: string): boolean => location.pathname.endsWith(`/${page}`)
