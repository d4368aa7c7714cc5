// No validator: the page asks nobody but this service.
SwaggerUIBundle({ url: 'openapi.json', dom_id: '#api', validatorUrl: null, deepLinking: true })
