import { clientNotice, type NoticePosted } from '../../events/turn-event.js';
import { isAbout } from '../../governance/permissions/match-rule.js';
import type { OfferRules } from '../../governance/permissions/decide-permission.js';
import type { Model } from '../../provider/model.js';
import { hasServerTool, isServerToolName } from '../../provider/model-types.js';
import type { ServerTool } from '../../storage/shapes/stored-options.js';

export interface ServerToolQuestion {
  /** The tools that the turn or its agent lists. */
  asked: readonly string[];
  /** The tools that the operator allows. */
  allowed: readonly ServerTool[];
  model: Model;
  /** The tools of a subagent's parent; undefined where there is no parent. */
  within: readonly string[] | undefined;
  rules: OfferRules;
}

export interface MissingServerTool {
  name: string;
  reason: string;
}

/**
 * The tools of the provider that a turn is offered: listed by name, allowed by the operator, known to
 * the model, and touched by no rule that denies or asks, as nobody can be asked while the provider
 * runs them. Pure.
 */
export function chooseServerTools({ asked, allowed, model, within, rules }: ServerToolQuestion): {
  serverTools: ServerTool[];
  missing: MissingServerTool[];
} {
  const serverTools: ServerTool[] = [];
  const missing: MissingServerTool[] = [];
  for (const name of new Set(asked.filter(isServerToolName))) {
    const tool = allowed.find((one) => one.name === name);
    const reason =
      tool === undefined
        ? 'TURNPIKE_SERVER_TOOLS does not list it'
        : (missingFor(name, model) ?? ruledOut(name, rules));
    if (tool === undefined || reason !== undefined) {
      missing.push({ name, reason: reason ?? '' });
    } else if (within?.includes(name) !== false) {
      serverTools.push(tool);
    }
  }
  return { serverTools, missing };
}

function missingFor(name: string, model: Model): string | undefined {
  return hasServerTool(model, name) ? undefined : `the model ${model.id} has no such tool here`;
}

function ruledOut(name: string, { layers, server, session }: OfferRules): string | undefined {
  const rule = layers
    .flatMap(({ agent }) => [server, agent, session])
    .flatMap(({ deny = [], ask = [] }) => [...deny, ...ask])
    .find((one) => isAbout(one, name));
  return rule === undefined ? undefined : `the rule ${rule} denies it, or asks about it`;
}

/** A notice for clients: they listed a tool that the model does not have. */
export function serverToolMissing({ name, reason }: MissingServerTool): NoticePosted {
  return clientNotice(
    'message',
    'server-tool-missing',
    `The turn goes without ${name}: ${reason}.`,
    { tool: name },
  );
}
