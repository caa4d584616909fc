import { loadAttachment, loadAttachmentOrNote } from '../attachments/load-attachment.js';
import type { AttachmentRef, StoredPart } from '../attachments/stored-part.js';
import { offerTools } from '../governance/offer-tools.js';
import type { UserPart } from '../provider/model-types.js';
import { checkProjectRoot } from '../session/check-project-root.js';
import { openTools } from '../tools/open-tools.js';
import type { TurnTranscript } from './build-messages.js';
import { buildSystem } from './build-system.js';
import type { StoredTurn } from './load-turn.js';
import type { Attempt, TurnRun } from './turn-run.js';
import type { TurnServices } from './turn-services.js';

/**
 * Gives an attempt what the loop needs: persona, system prompt, tools, the conversation with its
 * files.
 *
 * @throws TypedError when the project root, the persona or a file of this turn is gone.
 */
export async function equipRun(
  services: TurnServices,
  attempt: Attempt,
  earlier: readonly StoredTurn[],
): Promise<TurnRun> {
  const { options, provenance } = attempt.turn.options;
  const { instructionRoot } = services.personas;
  const projectRoot = await checkProjectRoot(attempt.session.projectRoot, instructionRoot);
  const persona = await services.personas.load(options.persona);
  const named = provenance.tools === 'opts' ? options.tools : [];
  const selected = services.tools.select(options.tools).tools;
  const offered = offerTools(selected, { disallowed: persona.disallowedTools, namedByTurn: named });
  const { settings, provider } = services;
  return {
    ...attempt,
    provider,
    limits: settings.limits,
    system: buildSystem({
      prompt: persona.prompt,
      persona: options.persona,
      projectRoot,
      mode: options.mode,
    }),
    earlierTurns: await Promise.all(earlier.map(toTranscript)),
    userParts: await loadParts(attempt.storedParts, loadAttachment),
    tools: openTools(selected, { workdir: projectRoot, env: settings.shellEnv }),
    toolSpecs: offered.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    })),
    permissions: {
      mode: options.mode,
      autoApprove: persona.autoApproveTools,
      disallowed: persona.disallowedTools,
      named,
    },
  };
}

async function toTranscript(stored: StoredTurn): Promise<TurnTranscript> {
  return {
    userParts: await loadParts(stored.userParts, loadAttachmentOrNote),
    steps: stored.steps,
    results: new Map(stored.calls.map((call) => [call.callId, call])),
    status: stored.turn.status,
    endReason: stored.turn.endReason,
  };
}

function loadParts(
  parts: readonly StoredPart[],
  load: (file: AttachmentRef) => Promise<UserPart>,
): Promise<UserPart[]> {
  return Promise.all(
    parts.map(async (part) => (part.type === 'text' ? part : await load(part.file))),
  );
}
