// What the MCP package asks of its platform, in the release: without the validator of JSON schemas
// that it would load at each start. It checks what people fill into forms, and those of Fovea have
// nothing to fill (src/mcp/elicitation/host-elicitation.ts).

export class DefaultJsonSchemaValidator {
  getValidator() {
    return (data: unknown) => ({ valid: true, data, errorMessage: undefined });
  }
}

// The value itself, which Node has without a module to load.
export const process = globalThis.process;
