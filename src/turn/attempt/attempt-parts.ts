import type { TurnServices } from '../state/turn-services.js';
import { FileShowers } from '../prompt/file-showers.js';
import { HistoryOpener } from '../prompt/history-opener.js';
import { HistoryShortener } from '../prompt/history-shortener.js';
import { TranscriptBuilder } from '../prompt/transcript-builder.js';
import { TurnCompactor } from '../prompt/turn-compactor.js';
import { AttemptAnnouncer } from './attempt-announcer.js';
import { AttemptFiles } from './attempt-files.js';
import { AttemptOpener } from './attempt-opener.js';
import { RunContextBuilder } from './run-context-builder.js';
import { CallDescriber } from './call-describer.js';
import { RunPorts } from './run-ports.js';
import { ToolPreparer } from './tool-preparer.js';
import { WatchOpener } from './watch-opener.js';

/** The classes of attempts over services that are not injected. */
export function attemptParts(services: TurnServices) {
  const { db, log, tools, trees, modelNames, clock, logger, settings } = services;
  const { provider, models, personas, mcp, shells, attachments, resources } = services;
  const { limits, approvals, ceiling } = settings;
  const transcripts = new TranscriptBuilder(models, settings);
  const compactor = new TurnCompactor(db, provider, models, clock);
  const files = new AttemptFiles(attachments, new FileShowers(attachments, models));
  const opener = new AttemptOpener(db, log, tools, trees, modelNames, clock, logger, {
    leaseMs: settings.leaseMs,
    mostAttempts: settings.mostAttemptsInVain,
    sessionTokens: settings.sessionTokens,
  });
  const builder = new RunContextBuilder(
    services.projectRoots,
    personas,
    new RunPorts(
      db,
      provider,
      services.triggers,
      services.redact,
      settings.shellEnv,
      new HistoryShortener(db, compactor),
      {
        approvalTimeoutMs: approvals.timeoutMs,
        approvalDefault: approvals.onTimeout,
        unknownCalls: approvals.unknownCalls,
      },
    ),
    new CallDescriber(models, limits, transcripts),
    new ToolPreparer(db, tools, mcp, shells, personas, models, settings.serverPermissions, {
      modeCeiling: ceiling.mode,
      toolCeiling: ceiling.tools,
      serverTools: [...settings.serverTools],
    }),
    files,
    new HistoryOpener(db, transcripts, compactor),
    new WatchOpener(resources, models),
  );
  const announcer = new AttemptAnnouncer(provider, models, clock);
  return { opener, announcer, files, builder };
}
