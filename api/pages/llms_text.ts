import type { Endpoint } from '#api/contract/endpoint.ts'

/** The description of the service for language models, in the form of llmstxt.org: a summary and links. */
export const llmsText = (endpoints: readonly Endpoint[]): string =>
  [
    '# Tapeline',
    '',
    '> Open-source market and wallet intelligence: prediction markets, trader leaderboards and wallet profiles over HTTP.',
    '',
    'Every request below /v1 carries the header "Authorization: Bearer <API key>". Lists are JSON arrays or CSV. Errors',
    'are {"error", "message"}.',
    '',
    '## Documentation',
    '',
    '- [API](/docs/api.md): all endpoints with parameters, fields and errors',
    '- [Tables](/docs/metrics.md): each derived table of the DuckDB file, with its columns',
    '- [Datasets](/docs/datasets.md): the facts beneath them',
    '- [Columns](/docs/columns.md): the meaning and unit of each column',
    '- [OpenAPI](/openapi.json): the same as an OpenAPI 3.1 description',
    '',
    '## Endpoints',
    '',
    ...endpoints.map(({ method, path, summary }) => `- ${method} /v1${path}: ${summary}`),
    '',
  ].join('\n')
