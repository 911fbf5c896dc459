// Where the platform's page shows what: what stands behind the # of its address.

/** `slug`: of the project. */
export function projectPage(slug: string): string {
  return `project/${encodeURIComponent(slug)}`;
}

/** The first image of an annotation job that nobody has decided about. */
export function jobPage(slug: string, jobId: string): string {
  return `${projectPage(slug)}/annotate/?job=${encodeURIComponent(jobId)}`;
}
