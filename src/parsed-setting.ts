// What variables of the environment are read into.

/** A value, or in plain words what would be right. */
export type Parsed<Value> = { readonly value: Value } | { readonly wrong: string };

export type Parser<Value> = (text: string) => Parsed<Value>;

/** Gathers what is wrong, until whoever made it throws all at once. */
export interface VariableReader {
  readonly environment: Readonly<Record<string, string | undefined>>;
  read<Value, Default>(variable: string, parse: Parser<Value>, otherwise: Default): Value | Default;
}
