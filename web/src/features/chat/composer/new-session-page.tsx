import { useId, useState, type ReactNode } from 'react';
import { TurnpikeError } from '#src/client/transport/client-errors.js';
import type { AgentSummary, ModelList } from '#src/client/turnpike-client.js';
import { compact } from '#src/platform/compact.js';
import { client, reportFault } from '../../../api/client.js';
import { invalidate, useAgents, useCaller, useModels, useSessions } from '../../../api/queries.js';
import { FaultNote } from '../../../components/fault-note.js';
import { navigate } from '../../../app/navigation.js';
import { HelpLink, LoadFault } from '../../../components/page.js';
import { publishToTabs } from '../../../api/tabs.js';
import { closeConversation, openConversation } from '../conversation/open-conversation.js';
import { Composer, type Draft } from './composer.js';
import { permissionModes } from './permission-modes.js';

const FOLDER = 'turnpike.folder';
const AGENT = 'turnpike.agent';

/** The first page: it takes the first message of a session, its folder and its agent. */
export function NewSessionPage() {
  const { data: sessions } = useSessions('chats');
  const caller = useCaller();
  const models = useModels();
  const agents = useAgents();
  const [folder, setFolder] = useState(() => localStorage.getItem(FOLDER) ?? '');
  const [agent, setAgent] = useState(() => agentOfUrl() ?? localStorage.getItem(AGENT) ?? '');
  const [mode, setMode] = useState('direct');
  const [fault, setFault] = useState<unknown>();
  const [isMaking, setMaking] = useState(false);
  const [suggestion, setSuggestion] = useState<{ text: string }>();
  const ids = useId();
  const folders = [...new Set((sessions ?? []).map(({ projectRoot }) => projectRoot))];
  const chosen = chooseAgent(agents.data ?? [], [agent, caller?.persona]);

  const start = (draft: Draft): boolean => {
    if (isMaking) return false;
    setFault(undefined);
    setMaking(true);
    const request = compact({
      projectRoot: folder.trim() === '' ? undefined : folder.trim(),
      mode,
      persona: chosen?.name,
    });
    startSession(request, draft).catch((thrown: unknown) => {
      setFault(reportFault(thrown));
      setMaking(false);
    });
    return false;
  };
  const isFolderBad = fault instanceof TurnpikeError && folderCodes.includes(fault.code);

  return (
    <main id="main" tabIndex={-1} className="h-full overflow-y-auto outline-none">
      <div className="mx-auto flex min-h-full max-w-2xl flex-col justify-center px-4 py-10 sm:px-8">
        <h1 className="mb-1 text-2xl font-semibold tracking-tight">What would you like to do?</h1>
        <p className="mb-5 text-sm text-pretty text-muted">
          An agent works on your message in a folder. It keeps running when you close this page.
        </p>
        {models?.provider === 'rehearsal' && <RehearsalNote />}
        {fault !== undefined && <FaultNote fault={fault} />}
        {fault === undefined && <LoadFault of={agents} />}
        <Composer
          onSend={start}
          isSending={isMaking}
          suggestion={suggestion}
          placeholder="Ask anything, or describe a task"
        />
        <Examples models={models} onChoose={(text) => setSuggestion({ text })} />
        <div className="mt-5 grid gap-3 sm:grid-cols-[1fr_auto_auto]">
          <Labelled label="Folder (optional)" id={`${ids}-folder`}>
            <input
              id={`${ids}-folder`}
              list={`${ids}-folders`}
              value={folder}
              spellCheck={false}
              autoComplete="off"
              placeholder="Your own folder"
              aria-invalid={isFolderBad}
              aria-describedby={`${ids}-folder-about`}
              onChange={({ target }) => setFolder(target.value)}
              className={`${field} font-mono text-xs aria-invalid:border-bad`}
            />
            <datalist id={`${ids}-folders`}>
              {folders.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          </Labelled>
          <Labelled label="Agent" id={`${ids}-agent`}>
            <select
              id={`${ids}-agent`}
              value={chosen?.name ?? ''}
              onChange={({ target }) => setAgent(target.value)}
              className={field}
            >
              <AgentOptions agents={agents.data ?? []} />
            </select>
          </Labelled>
          <Labelled label="Permissions" id={`${ids}-mode`}>
            <select
              id={`${ids}-mode`}
              value={mode}
              onChange={({ target }) => setMode(target.value)}
              className={field}
            >
              {permissionModes.map(({ value, words }) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          </Labelled>
        </div>
        <p
          id={`${ids}-folder-about`}
          className="mt-1.5 text-xs text-muted [overflow-wrap:anywhere]"
        >
          {folder.trim() === '' && caller !== undefined && (
            <>
              Works in <code className="font-mono">{caller.projectRoot}</code>
              {'. '}
            </>
          )}
          {chosen?.description}
        </p>
      </div>
    </main>
  );
}

const folderCodes: readonly string[] = [
  'WORKING_ROOT_INACCESSIBLE',
  'WORKING_ROOT_CONFLICT',
  'INVALID_REQUEST',
];

/** The agent that a link to this page names. */
function agentOfUrl(): string | undefined {
  return new URLSearchParams(location.search).get('agent') ?? undefined;
}

/** The agent of the first name that exists; else the first agent that talks to people. */
function chooseAgent(
  agents: readonly AgentSummary[],
  names: readonly (string | undefined)[],
): AgentSummary | undefined {
  const named = names.map((name) => agents.find((one) => one.name === name));
  return (
    named.find((one) => one !== undefined) ?? agents.find(({ type }) => type !== 2) ?? agents[0]
  );
}

function AgentOptions({ agents }: { agents: readonly AgentSummary[] }) {
  const subagents = agents.filter(({ type }) => type === 2);
  const option = ({ name, title }: AgentSummary) => (
    <option key={name} value={name}>
      {title ?? name}
    </option>
  );
  return (
    <>
      {agents.filter(({ type }) => type !== 2).map(option)}
      {subagents.length > 0 && (
        <optgroup label="Made to be subagents">{subagents.map(option)}</optgroup>
      )}
    </>
  );
}

/** Says that the rehearsal model answers, and how to get Claude. */
function RehearsalNote() {
  return (
    <aside
      aria-label="Rehearsal model"
      className="mb-4 rounded-xl border border-line bg-panel px-4 py-3 text-sm text-soft"
    >
      <p>
        <strong className="font-semibold">The rehearsal model answers.</strong> It runs in the
        server, costs nothing, and does what directives such as <code>[[tool=read …]]</code> in your
        message tell it. To talk to Claude, set <code>ANTHROPIC_API_KEY</code> and restart the
        server. <HelpLink topic="guide/rehearsal">More about rehearsal</HelpLink>
      </p>
    </aside>
  );
}

function Examples({
  models,
  onChoose,
}: {
  models: ModelList | undefined;
  onChoose: (text: string) => void;
}) {
  if (models === undefined) return null;
  return (
    <ul aria-label="Examples" className="mt-3 flex flex-wrap gap-1.5">
      {examplesFor(models.provider).map(({ label, text }) => (
        <li key={label}>
          <button
            type="button"
            onClick={() => onChoose(text)}
            className="rounded-full border border-line px-2.5 py-1 text-xs text-soft hover:bg-sunken hover:text-ink"
          >
            {label}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface SessionRequest {
  projectRoot?: string;
  mode: string;
  persona?: string;
}

/** Creates the session and sends its first message. If the message is rejected, the session is deleted again. */
async function startSession(
  request: SessionRequest,
  { message, attachments, files, opts }: Draft,
): Promise<void> {
  const { sessionId } = await client().sessions.create(request);
  localStorage.setItem(FOLDER, request.projectRoot ?? '');
  localStorage.setItem(AGENT, request.persona ?? '');
  const refusal = await openConversation(sessionId).begin({ message, attachments, opts }, files);
  if (refusal instanceof TurnpikeError) {
    closeConversation();
    await client().sessions.delete(sessionId);
    throw refusal;
  }
  void invalidate('sessions');
  publishToTabs({ type: 'sessions' });
  navigate(`/sessions/${sessionId}`);
}

const field = 'h-9 w-full rounded-lg border border-line-strong bg-panel px-2.5 text-sm';

function Labelled({ label, id, children }: { label: string; id: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-xs font-medium text-soft">
        {label}
      </label>
      {children}
    </div>
  );
}

interface Example {
  label: string;
  text: string;
}

const toClaude: readonly Example[] = [
  { label: 'Explain this project', text: 'Explain what the project in this folder does.' },
  { label: 'Find a bug', text: 'Look for a bug in this folder, and tell me how to fix it.' },
  { label: 'Write a README', text: 'Write a README.md for the project in this folder.' },
  { label: 'Summarise a file', text: 'Summarise the attached file in five sentences.' },
];

const toRehearsal: readonly Example[] = [
  { label: 'Say hello', text: 'Hello!' },
  {
    label: 'Write a file, after your approval',
    text: 'Write a greeting into hello.txt. [[tool=write {"file_path":"hello.txt","content":"Hello from Turnpike"}]]',
  },
  { label: 'List the files', text: 'List the files of this folder. [[tool=glob {"pattern":"*"}]]' },
  { label: 'Stream 200 words', text: 'Say something long. [[tokens=200 gap=20]]' },
];

/** Messages to begin with, for the model that answers. Pure. */
function examplesFor(provider: string): readonly Example[] {
  return provider === 'rehearsal' ? toRehearsal : toClaude;
}
