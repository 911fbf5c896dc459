// The names by which the Tasks extension is declared and served.

export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The tool whose answer is the state and the result of a task. */
export const waitTool = 'tasks_wait';
