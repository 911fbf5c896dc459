// Columns of a row as the API shows them: what SQLite stores as numbers and texts are flags, lists
// and times to a reader of the log.

/** SQL of a JSON object with these columns of `row`, which is NEW or OLD. */
export function shownValues(columns: readonly string[], row: 'NEW' | 'OLD'): string {
  const members = columns.map(
    (column) => `'${names[column] ?? column}', ${shown(column, `${row}.${column}`)}`,
  );
  return `json_object(${members.join(', ')})`;
}

const names: Readonly<Record<string, string>> = { folder_ids: 'folderIds' };

const flags: readonly string[] = ['public', 'enabled', 'protected', 'disabled'];
const storedAsJson: readonly string[] = [
  'scopes',
  'folder_ids',
  'metadata',
  'settings',
  'refused_predictions',
];
const times: readonly string[] = ['archived_at'];

function shown(column: string, value: string): string {
  if (flags.includes(column)) return `json(CASE WHEN ${value} = 0 THEN 'false' ELSE 'true' END)`;
  if (storedAsJson.includes(column)) return `json(${value})`;
  if (times.includes(column)) {
    return `strftime('%Y-%m-%dT%H:%M:%SZ', ${value} / 1000, 'unixepoch')`;
  }
  return value;
}
