// A file of a multipart body that tells how much of it was read to be sent.

/** Says how many bytes were read, each time that some were. */
export type OnRead = (bytes: number) => void;

export class CountedFile extends File {
  readonly #onRead: OnRead;

  constructor(content: Blob, name: string, onRead: OnRead) {
    super([content], name, { type: content.type });
    this.#onRead = onRead;
  }

  override stream() {
    const onRead = this.#onRead;
    const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (chunk, controller) => {
        onRead(chunk.length);
        controller.enqueue(chunk);
      },
    });
    return super.stream().pipeThrough(counting);
  }
}
