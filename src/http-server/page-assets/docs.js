// Shows the description of the API, each operation ready to be tried out.

// @ts-expect-error The bundle has no types; it is loaded before this script.
globalThis.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1,
  docExpansion: 'list',
  // A validator elsewhere would be asked, and this page asks nobody else.
  validatorUrl: null,
});
