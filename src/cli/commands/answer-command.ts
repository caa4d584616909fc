import { Option } from '@commander-js/extra-typings';
import type { AwaitedApprovalView, TurnpikeClient } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { commandName } from '../../platform/process/command-name.js';
import { clientOf } from '../server/find-server.js';
import { runOnServer } from '../server/run-on-server.js';
import { isPlainObject } from '../../platform/json.js';
import { jsonOption, UsageError, urlOption, type Cli, type CliCommand } from '../command.js';
import { askedLine, oneLine } from '../terminal/screen.js';

/**
 * `turnpike approvals`: lists what the caller's turns wait for, and apart from it what others ask the caller. Never
 * starts a server: a new one has no turn.
 */
export function approvalsCommand(command: CliCommand, cli: Cli): void {
  command
    .option('--of-others', 'only those of others, which you may answer by your roles')
    .addOption(jsonOption)
    .addOption(urlOption)
    .action(({ json = false, url, ofOthers = false }) =>
      runOnServer(cli, { url }, async (server) => {
        const { approvals } = clientOf(server);
        // As JSON, entries of one kind: that of the caller's turns, or that of others.
        const own = ofOthers ? [] : (await approvals.list(most)).approvals;
        const awaited = ofOthers || !json ? (await approvals.awaited.list(most)).approvals : [];
        if (json) printJson(cli, ofOthers ? awaited : own);
        else printOpen(cli, { own, awaited, ofOthers });
        return 0;
      }),
    );
}

const most = { limit: 200 };

function printJson(cli: Cli, all: readonly unknown[]): void {
  for (const one of all) cli.out(`${JSON.stringify(one)}\n`);
}

function printOpen(
  cli: Cli,
  { own, awaited, ofOthers }: { own: Open[]; awaited: AwaitedApprovalView[]; ofOthers: boolean },
): void {
  if (ofOthers && awaited.length === 0) cli.err('Nobody asks you.\n');
  if (!ofOthers && own.length === 0) cli.err('No turn of yours waits for an approval.\n');
  for (const one of own) cli.out(describe(one));
  if (awaited.length === 0) return;
  if (!ofOthers) {
    cli.out('\nAsked of you by others; answer with --of-others:\n');
  }
  for (const one of awaited) cli.out(describe(one, `${one.requester} asks`));
}

type Open = Awaited<ReturnType<TurnpikeClient['approvals']['list']>>['approvals'][number];

/** At least three lines: a call may be long, and is shown whole before it is approved. */
function describe(
  { approvalId, kind, name, input, reason, expiresAt, awaits = [] }: Open | AwaitedApprovalView,
  asking?: string,
): string {
  const call = askedLine(`${name} ${JSON.stringify(input)}`);
  const lines = [
    [approvalId, kind, `until ${expiresAt}`, ...(asking === undefined ? [] : [asking])].join('  '),
    call,
    oneLine(reason, 200),
    ...awaits.map(describeAwaited),
  ];
  return `${lines.join('\n  ')}\n`;
}

function describeAwaited({ by, count, notRequester, approved }: AwaitedPeople): string {
  const others = notRequester ? ', other than who asks' : '';
  return `${approved} of ${count} approved with the role ${by.join(' or ')}${others}`;
}

type AwaitedPeople = AwaitedApprovalView['awaits'][number];

/** Made for each command: one option cannot conflict with those of another. */
function ofOthersOption() {
  return new Option('--of-others', 'it is of another person, who waits for one with your role');
}

/** `turnpike approve ID`. Exit code: 1 when the answer was refused or no server runs. */
export function approveCommand(command: CliCommand, cli: Cli): void {
  command
    .argument('<ID>', 'of the approval')
    .option('--session', 'also approve later calls in this session whose input is the same')
    .option(
      '--rule <RULE>',
      'also approve later calls in this session that RULE allows, such as bash(ls *)',
    )
    .option('--content <JSON>', 'what the question of a call is answered with')
    .addOption(ofOthersOption().conflicts(['session', 'rule', 'content']))
    .addOption(urlOption)
    .action((id, { session, rule, content, ofOthers, url }) =>
      runOnServer(cli, { url }, async (server) => {
        const { approvals } = clientOf(server);
        const forSession = session === true || rule !== undefined;
        if (ofOthers === true) {
          const { awaits } = await approvals.awaited.approve(id);
          const open = awaits.filter(({ count, approved }) => approved < count);
          cli.err(open.length === 0 ? 'Approved. The call may run.\n' : waiting(open));
          return 0;
        }
        const { turnId } =
          content !== undefined
            ? await approvals.say(id, readContent(content))
            : forSession
              ? await approvals.approveForSession(id, compact({ rule }))
              : await approvals.approve(id);
        tellAnswered(cli, content === undefined ? 'Approved' : 'Answered', turnId);
        return 0;
      }),
    );
}

/** For people: programs read the exit code. */
function tellAnswered(cli: Cli, what: string, turnId: string): void {
  cli.err(`${what}. To see what follows: ${commandName()} tail ${turnId}\n`);
}

function waiting(open: readonly AwaitedPeople[]): string {
  return `Approved. The call still waits: ${open.map(describeAwaited).join('; ')}\n`;
}

/** @throws UsageError for what is no JSON object. */
function readContent(text: string): Record<string, unknown> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    content = undefined;
  }
  if (isPlainObject(content)) return content;
  throw new UsageError('--content must be a JSON object, as {"colour":"red"}');
}

/** `turnpike deny ID [WHY]`. Exit code: as of `approve`. */
export function denyCommand(command: CliCommand, cli: Cli): void {
  command
    .argument('<ID>', 'of the approval')
    .argument('[WHY...]', 'the reason')
    .addOption(ofOthersOption())
    .addOption(urlOption)
    .action((id, words, { ofOthers, url }) =>
      runOnServer(cli, { url }, async (server) => {
        const { approvals } = clientOf(server);
        const why = words.length === 0 ? undefined : words.join(' ');
        if (ofOthers === true) {
          await approvals.awaited.deny(id, why);
          cli.err('Denied.\n');
        } else tellAnswered(cli, 'Denied', (await approvals.deny(id, why)).turnId);
        return 0;
      }),
    );
}
