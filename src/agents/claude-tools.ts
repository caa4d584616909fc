/** Tools of Claude Code, by their names there, and those here that do the same work. */
const tools: Readonly<Record<string, readonly string[]>> = {
  Read: ['read'],
  Write: ['write'],
  Edit: ['edit'],
  MultiEdit: ['edit'],
  Glob: ['glob'],
  Grep: ['grep'],
  LS: ['glob'],
  Bash: ['bash'],
  Agent: ['task'],
  Task: ['task'],
  Skill: ['load_skill', 'read_skill_file'],
  TodoWrite: ['todo_write'],
  TaskCreate: ['todo_write'],
  TaskUpdate: ['todo_write'],
  TaskList: ['todo_write'],
  TaskGet: ['todo_write'],
  WebSearch: ['web_search'],
  WebFetch: ['web_fetch'],
};

/** Tools that there is nothing of here, and what to use instead. */
const missing: Readonly<Record<string, string>> = {
  AskUserQuestion: 'people are asked by approvals and client tools',
  NotebookEdit: 'notebooks are edited as text, by edit',
  NotebookRead: 'notebooks are read as text, by read',
  BashOutput: 'commands run in the foreground',
  KillShell: 'commands run in the foreground',
  KillBash: 'commands run in the foreground',
  TaskOutput: 'subagents are awaited',
  TaskStop: 'subagents are awaited',
  ExitPlanMode: 'to plan, post a turn with opts.mode plan',
  EnterPlanMode: 'to plan, post a turn with opts.mode plan',
  SlashCommand: 'commands of projects are prompts, which clients name',
  ListMcpResourcesTool: 'list_mcp_resources is there where a server has resources',
  ReadMcpResourceTool: 'read_mcp_resource is there where a server has resources',
  ListMcpResources: 'list_mcp_resources is there where a server has resources',
  ReadMcpResource: 'read_mcp_resource is there where a server has resources',
  EnterWorktree: 'a session works in one folder',
  ExitWorktree: 'a session works in one folder',
  ToolSearch: 'the server searches tools by itself',
  Config: 'settings are the operator’s, and those of sessions and turns',
  LSP: 'a command or an MCP server may ask one',
  Monitor: 'commands run in the foreground',
};

/** The tools here of a tool there; none where there is no such tool. MCP tools have one name everywhere. Pure. */
export function toolsOf(name: string): readonly string[] {
  if (name.startsWith('mcp__')) return [name];
  return Object.hasOwn(tools, name) ? (tools[name] ?? []) : [];
}

/** Whether there is such a tool there, with something here that does its work or without. Pure. */
export function isKnownThere(name: string): boolean {
  return Object.hasOwn(tools, name) || Object.hasOwn(missing, name);
}

/** Why there is no such tool here, as the end of a sentence. Pure. */
export function whyMissing(name: string): string {
  const why = Object.hasOwn(missing, name) ? missing[name] : undefined;
  return why === undefined
    ? `there is no tool ${name} here`
    : `there is no tool ${name} here: ${why}`;
}
