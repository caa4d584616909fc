import * as z from 'zod/mini';
import { canonicalJson, isPlainObject } from '../../platform/json.js';
import { nameOf, parseValue } from '../../platform/parsing/parse-value.js';
import { checkedBy, fieldsOf, wholeNumber } from '../../platform/parsing/shapes.js';
import type {
  ApproverRule,
  AskRule,
  PermissionRules,
  Quorum,
} from '../../storage/shapes/stored-options.js';

/** Most roles of a rule, of a key, and of a role of an identity provider. */
export const MAX_APPROVER_ROLES = 20;
const MAX_COUNT = 20;

/** The form of a role's name. */
export const approverRoleForm = /^[A-Za-z][\w.-]{0,63}$/;
export const approverRoleWords = "1 to 64 letters, digits, '.', '_' and '-', a letter first";

/** Names of roles that decide about calls, each once. */
export const approverRoles = z.pipe(
  z
    .array(
      z
        .string('must be the name of a role')
        .check(
          checkedBy((name) =>
            approverRoleForm.test(name) ? undefined : `must be ${approverRoleWords}`,
          ),
        ),
      'must be a list of roles, for example ["release"]',
    )
    .check(
      z.minLength(1, 'must name at least one role'),
      z.maxLength(MAX_APPROVER_ROLES, `must name at most ${MAX_APPROVER_ROLES} roles`),
    ),
  z.transform((names) => [...new Set(names)]),
);

/**
 * The shape of a rule of `ask`: its text, or a map that says who decides.
 *
 * @param text the shape of the text.
 * @param faultsAt where the faults of a map are: at its fields, or at the whole rule, which is left out then.
 */
export function askRuleShape(
  text: z.core.$ZodType<string>,
  faultsAt: 'fields' | 'rule' = 'fields',
) {
  const map = fieldsOf({
    rule: text,
    by: approverRoles,
    count: z._default(wholeNumber(1, MAX_COUNT), 1),
    notRequester: z._default(z.boolean('must be true or false'), false),
  });
  return z.transform((given: unknown, payload): AskRule => {
    const shape: z.core.$ZodType<AskRule> = isPlainObject(given) ? map : text;
    const { value, faults = [] } = parseValue(shape, given);
    for (const { path, message } of faults) {
      const [place, words] =
        faultsAt === 'fields' ? [[...path], message] : [[], `${nameOf(path)} ${message}`.trim()];
      payload.issues.push({ code: 'custom', input: given, path: place, message: words });
    }
    return value ?? z.NEVER;
  });
}

/** The text of a rule of `ask`. */
export function askText(rule: AskRule): string {
  return typeof rule === 'string' ? rule : rule.rule;
}

/** The rules of `ask` that say who decides. */
export function approverRulesOf({ ask = [] }: PermissionRules): ApproverRule[] {
  return ask.filter((rule) => typeof rule !== 'string');
}

/** Each of several quorums once. */
export function distinctQuorums(quorums: readonly Quorum[]): Quorum[] {
  const seen = new Map(
    quorums.map(({ by, count, notRequester }) => {
      const quorum = { by: [...by].sort(), count, notRequester };
      return [canonicalJson(quorum), quorum];
    }),
  );
  return [...seen.values()];
}

/** Whether what people were asked for has all that is wanted. Pure. */
export function coversQuorums(asked: readonly Quorum[], wanted: readonly Quorum[]): boolean {
  return distinctQuorums([...asked, ...wanted]).length === distinctQuorums(asked).length;
}

/** A quorum in words: `2 people with the role release or admin, other than who asks`. */
export function describeQuorum({ by, count, notRequester }: Quorum): string {
  const people = count === 1 ? 'a person' : `${count} people`;
  const roles = `${people} with the role ${by.join(' or ')}`;
  return notRequester ? `${roles}, other than who asks` : roles;
}

/** Quorums in words, which all must be met. */
export function describeQuorums(quorums: readonly Quorum[]): string {
  return quorums.map(describeQuorum).join(', and ');
}
