import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { AuditLog } from '../access/audit-log.js';
import type { Principal } from '../access/principal.js';
import { CONFIG, type Config } from '../config/config.js';
import {
  applyHook,
  decidePermission,
  type PermissionDecision,
} from '../governance/permissions/decide-permission.js';
import { SERVER_PERMISSIONS } from '../governance/permissions/permission-rules.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { REDACT, type Redact } from '../platform/text/redact.js';
import type { PermissionRules } from '../storage/shapes/stored-options.js';
import { isServerToolName } from '../provider/model-types.js';
import { findArgument } from '../tools/calls/call-paths.js';
import { runTool } from '../tools/calls/run-tool.js';
import { MCP, type Mcp } from '../tools/mcp/mcp.js';
import { prefixOf } from '../tools/mcp/tool-names.js';
import { openTools, ToolRegistry, type RegisteredTool } from '../tools/registry.js';
import { TOOL_HOOK, type ToolHook } from '../tools/tool-hook.js';
import { CallWaits } from '../tools/tool.js';
import type { ListedMcpServerDto } from '../tools/tool-list.dto.js';
import type { TrialDto, TrialResultDto } from './trial.dto.js';
import {
  serverNotFound,
  toolNotFound,
  trialDenied,
  trialUnconfirmed,
  trialUnsupported,
} from './trial-errors.js';

const MAX_NOTES = 50;

/** A tool that is open for one call. */
interface OpenedTool {
  tool: RegisteredTool;
  close(): Promise<void>;
}

/** A call as it is judged and noted. */
interface Trial extends TrialDto {
  by: Principal;
  id: string;
  /** An empty folder of its own, in place of a project. */
  workdir: string;
}

/** Runs tools of the operator and of MCP servers once, for an operator who looks at what they do. */
@Injectable()
export class ToolTrials {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly audit: AuditLog,
    @Inject(MCP) private readonly mcp: Mcp,
    @Inject(TOOL_HOOK) private readonly hook: ToolHook | null,
    @Inject(SERVER_PERMISSIONS) private readonly rules: PermissionRules,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(REDACT) private readonly redact: Redact,
  ) {}

  /**
   * Runs a call under the server's rules and its tool hook. What they ask about, and what does more than read, runs where
   * the caller has confirmed it. The audit log has each call before it runs.
   *
   * @throws TypedError TOOL_NOT_FOUND, TOOL_TRIAL_DENIED, TOOL_TRIAL_UNCONFIRMED, TOOL_TRIAL_UNSUPPORTED; the signal's
   *   reason.
   */
  async run(given: TrialDto, by: Principal, signal: AbortSignal): Promise<TrialResultDto> {
    const { tool, close } = await this.#open(given.tool, by, signal);
    const workdir = await mkdtemp(path.join(tmpdir(), 'turnpike-trial-'));
    try {
      const trial = { ...given, by, workdir, id: `trial_${randomUUID()}` };
      await this.#judge(trial, tool, signal);
      const details = { effect: tool.effect, confirmed: given.confirmed === true };
      await this.audit.write({ by, action: 'tool.tried', subject: tool.name, details });
      return await this.#call(trial, tool, signal);
    } finally {
      await close();
      await rm(workdir, { recursive: true, force: true });
    }
  }

  /**
   * Starts an MCP server of the configuration, as a turn does. A server that does not come up is one that failed.
   *
   * @throws TypedError TOOL_NOT_FOUND; the signal's reason.
   */
  async start(server: string, by: Principal, signal: AbortSignal): Promise<ListedMcpServerDto> {
    const find = () => this.mcp.listServers().find(({ name }) => name === server);
    if (find() === undefined) throw serverNotFound(server);
    const { close } = await this.#openServer(server, by, signal);
    await close();
    const found = find();
    if (found === undefined) throw serverNotFound(server);
    return found;
  }

  #openServer(server: string, by: Principal, signal: AbortSignal) {
    return this.mcp.openForTurn({
      agent: { named: [server], own: {} },
      session: { id: `trial:${by.id}`, mcpServers: null },
      principalId: by.id,
      isPatient: true,
      signal,
    });
  }

  async #open(name: string, by: Principal, signal: AbortSignal): Promise<OpenedTool> {
    const own = this.registry.list().find((tool) => tool.name === name);
    if (own?.source === 'extension') return { tool: own, close: async () => undefined };
    if (own !== undefined) {
      throw trialUnsupported(name, 'is built in, and works on the project of a session');
    }
    if (isServerToolName(name)) {
      throw trialUnsupported(name, 'runs at the provider of a model');
    }
    const servers = this.mcp.listServers().map((server) => server.name);
    const server = servers.find((one) => name.startsWith(prefixOf(one)));
    if (server === undefined) throw toolNotFound(name);
    const opened = await this.#openServer(server, by, signal);
    const tool = opened.tools.find((one) => one.name === name);
    if (tool !== undefined) return { tool, close: opened.close };
    await opened.close();
    throw toolNotFound(
      name,
      opened.problems.map(({ reason }) => reason),
    );
  }

  async #judge(trial: Trial, tool: RegisteredTool, signal: AbortSignal): Promise<void> {
    const ruled = decidePermission({
      tool,
      argument: await findArgument(tool, trial.input, trial.workdir),
      // The caller has named the tool.
      layers: [{ mode: 'direct', named: [tool.name], agent: {} }],
      server: this.rules,
      session: {},
      grants: [],
    });
    const decision = await this.#askHook(trial, tool, ruled, signal);
    const { verdict, reason, rule, awaits } = decision;
    if (verdict === 'deny') throw trialDenied(reason, rule);
    if (awaits !== undefined) throw trialUnsupported(tool.name, `waits for approvers: ${reason}`);
    const isHarmless = verdict === 'allow' && tool.effect === 'read';
    if (isHarmless || trial.confirmed === true) return;
    const why = verdict === 'ask' ? reason : `${tool.name} has the effect ${tool.effect}`;
    throw trialUnconfirmed(why, verdict === 'ask' ? rule : 'effect');
  }

  async #askHook(
    { by, id, input }: Trial,
    tool: RegisteredTool,
    ruled: PermissionDecision,
    signal: AbortSignal,
  ): Promise<PermissionDecision> {
    if (this.hook === null || ruled.verdict === 'deny') return ruled;
    const { verdict: decision, rule, reason } = ruled;
    const of = { turnId: id, sessionId: id, callId: 'call_1', principal: by.id, agent: 'none' };
    const rules = { decision, rule, reason };
    const answer = await this.hook.ask({ ...of, tool: tool.name, input, rules }, signal);
    const isSafe = tool.effect === 'read' && tool.retry !== 'never';
    return applyHook(ruled, answer, { tool: tool.name, isSafe, asksNobody: false });
  }

  async #call(trial: Trial, tool: RegisteredTool, signal: AbortSignal): Promise<TrialResultDto> {
    const { id, by, input, workdir } = trial;
    const { toolTimeoutMs: timeoutMs, toolOutputLimit: outputLimit } = this.config;
    const turn = { principal: by.id, sessionId: id, turnId: id, agent: 'none' };
    const tools = openTools([tool], () => ({ workdir, turn }));
    const callable = tools.get(tool.name);
    if (callable === undefined) throw new Error(`The tool ${tool.name} was not opened`);
    const progress: TrialResultDto['progress'] = [];
    try {
      const { status, output, durationMs } = await runTool(callable, input, {
        callId: 'call_1',
        idempotencyKey: `${id}:call_1`,
        signal,
        timeoutMs,
        outputLimit,
        clock: this.clock,
        progress: (note, elapsedMs) => {
          progress.push({ note: this.redact(note), elapsedMs });
          if (progress.length > MAX_NOTES) progress.shift();
        },
      });
      return { tool: tool.name, status, output: this.redact(output), durationMs, progress };
    } catch (error) {
      if (!(error instanceof CallWaits)) throw error;
      throw trialUnsupported(tool.name, `asks a person: ${error.asked.reason}`);
    } finally {
      await tools.close();
    }
  }
}
