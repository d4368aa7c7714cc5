export const openApi = (publicUrl: string) => ({ openapi: '3.1.0', servers: [{ url: `${publicUrl}/v1` }] })
