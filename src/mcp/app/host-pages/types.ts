// What the pages read of a tool's result. It comes from outside: each member may be missing.

export interface ToolResult {
  readonly content?: readonly Block[];
  readonly structuredContent?: Facts;
  readonly isError?: boolean;
  readonly _meta?: Facts;
}

export interface Block {
  readonly type?: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
}

export type Facts = Readonly<Record<string, unknown>>;

export interface NextCall {
  readonly tool: string;
  readonly arguments: Facts;
}

export interface Host {
  /** Calls a tool of the same server; undefined: the host lets pages call none. */
  readonly callTool: ((call: NextCall) => Promise<ToolResult>) | undefined;
  /** Fills the screen, or does so no more; undefined: the host has no such place. */
  readonly changeMode: ((mode: DisplayMode) => Promise<void>) | undefined;
  /** Says what the model is to know from now on, in place of what was said before. */
  readonly tellModel: ((text: string) => Promise<unknown>) | undefined;
}

export type DisplayMode = 'inline' | 'fullscreen';

export interface View {
  /** Shows a result, in place of the one before. */
  show(result: ToolResult, host: Host): void;
  /** Says that nothing will come. */
  fail(words: string): void;
  /** The host takes the page away when this is over, or after some seconds. */
  end?(): Promise<void>;
}
