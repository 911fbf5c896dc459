// That onnxruntime-node may be there: an optional peer, which is not installed with Fovea.

declare module 'onnxruntime-node' {
  const runtime: typeof import('onnxruntime-web');
  export = runtime;
}
