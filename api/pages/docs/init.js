// No validator, so that the page sends requests to this service alone.
SwaggerUIBundle({ url: 'openapi.json', dom_id: '#api', validatorUrl: null, deepLinking: true })
