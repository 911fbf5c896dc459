// What the doctor and the setup see of this machine beside Fovea's own parts.

/** The entry of Fovea in the configuration of a host. */
export interface HostEntry {
  readonly host: string;
  readonly path: string;
  /** Undefined: the host is there, and does not know Fovea. */
  readonly command: readonly string[] | undefined;
}

export interface Machine {
  hosts(): Promise<readonly HostEntry[]>;
}
