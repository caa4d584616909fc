import { useCallback, useId, useState, type ReactNode } from 'react';
import { client, reportFault } from '../../app/client.js';
import { FaultNote } from '../../app/fault-note.js';
import { navigate } from '../../app/navigation.js';
import { sessionsChanged, useSessions } from '../../app/use-sessions.js';
import { publishToTabs } from '../../app/tabs.js';
import { useResource } from '../../app/use-resource.js';
import { Composer, type Draft } from './composer.js';
import { openConversation } from '../conversation/open-conversation.js';
import { permissionModes } from './permission-modes.js';

const FOLDER = 'turnpike.folder';
const AGENT = 'turnpike.agent';

/** The first page: the folder, the agent and the first message of a session. */
export function NewSessionPage() {
  const { value: sessions } = useSessions();
  const { value: agents, fault: agentsFault } = useResource(
    useCallback(() => client().agents(), []),
  );
  // Undefined until the user edits the field: from then on it is not filled in.
  const [folder, setFolder] = useState(() => localStorage.getItem(FOLDER) ?? undefined);
  const [agent, setAgent] = useState(() => localStorage.getItem(AGENT) ?? '');
  const [mode, setMode] = useState('direct');
  const [fault, setFault] = useState<unknown>();
  const [isMaking, setMaking] = useState(false);
  const ids = useId();
  const folders = [...new Set((sessions ?? []).map(({ projectRoot }) => projectRoot))];
  const shownFolder = folder ?? folders[0] ?? '';
  const names = (agents ?? []).filter(({ type }) => type !== 2).map(({ name }) => name);
  const shownAgent = names.includes(agent)
    ? agent
    : (names.find((n) => n === 'WORKING_ITEMS') ?? names[0] ?? '');

  const start = (draft: Draft): boolean => {
    if (isMaking) return false;
    setFault(undefined);
    setMaking(true);
    const wanted = {
      projectRoot: shownFolder,
      mode,
      ...(shownAgent === '' ? {} : { persona: shownAgent }),
    };
    make(wanted, draft).catch((thrown: unknown) => {
      setFault(reportFault(thrown));
      setMaking(false);
    });
    return false;
  };

  return (
    <main id="main" tabIndex={-1} className="h-full overflow-y-auto outline-none">
      <div className="mx-auto flex min-h-full max-w-2xl flex-col justify-center px-4 py-10 sm:px-8">
        <h1 className="mb-1 text-2xl font-semibold tracking-tight">What should be done?</h1>
        <p className="mb-6 text-sm text-muted">
          A session works in one folder, with one agent. It goes on when this page is closed.
        </p>
        {fault !== undefined && <FaultNote fault={fault} />}
        {agentsFault !== undefined && fault === undefined && <FaultNote fault={agentsFault} />}
        <div className="mb-3 grid gap-3 sm:grid-cols-[1fr_auto_auto]">
          <Labelled label="Folder" id={`${ids}-folder`}>
            <input
              id={`${ids}-folder`}
              list={`${ids}-folders`}
              value={shownFolder}
              spellCheck={false}
              autoComplete="off"
              placeholder="/home/me/project"
              onFocus={() => setFolder(shownFolder)}
              onChange={({ target }) => setFolder(target.value)}
              className={`${field} font-mono text-xs`}
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
              value={shownAgent}
              onChange={({ target }) => setAgent(target.value)}
              className={field}
            >
              {names.map((name) => (
                <option key={name}>{name}</option>
              ))}
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
        <Composer onSend={start} placeholder="Ask for something" />
      </div>
    </main>
  );
}

async function make(
  wanted: { projectRoot: string; mode: string; persona?: string },
  { message, attachments, files, opts }: Draft,
): Promise<void> {
  const { sessionId } = await client().sessions.create(wanted);
  localStorage.setItem(FOLDER, wanted.projectRoot);
  localStorage.setItem(AGENT, wanted.persona ?? '');
  const conversation = openConversation(sessionId);
  void conversation.send({ message, attachments, opts }, files);
  sessionsChanged();
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
