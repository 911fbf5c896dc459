// That onnxruntime-node may be there: an optional peer, which is not installed with Fovea.

declare module 'onnxruntime-node' {
  type Web = typeof import('onnxruntime-web');
  interface Native extends Pick<Web, 'InferenceSession' | 'Tensor'> {
    listSupportedBackends(): readonly { readonly name: string }[];
  }
  const runtime: Native;
  export = runtime;
}
