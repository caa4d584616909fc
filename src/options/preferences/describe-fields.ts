import { compact } from '../../platform/compact.js';
import { agentConfigFields } from '../../governance/decision-tree/agent-config.js';
import { modelFields } from './model-preferences.js';
import { integerRule, type PreferenceSchema, type PreferenceValue } from './preference-rules.js';

export interface DescribedField extends PreferenceSchema {
  default?: PreferenceValue;
  description: string;
}

export interface DescribedFields {
  type: 'object';
  properties: Record<string, DescribedField>;
}

const limits = agentConfigFields.map((field): [string, DescribedField] => [
  field.wireName,
  { ...integerRule(field).schema, default: field.default, description: field.meaning },
]);

const others = modelFields.map((field): [string, DescribedField] => [
  field.wireName,
  {
    ...field.rule.schema,
    ...compact({ default: field.default }),
    description:
      field.default === undefined
        ? `${field.meaning} Default: the server's default model.`
        : field.meaning,
  },
]);

/** JSON schemas of the preferences, for the API's description. */
export const agentConfigSchema: DescribedFields = {
  type: 'object',
  properties: Object.fromEntries(limits),
};

export const preferencesSchema: DescribedFields = {
  type: 'object',
  properties: Object.fromEntries([...others, ...limits]),
};

/** The schema of a reset's body. @param route the schema of the route's fields. */
export function resetSchema(route: DescribedFields) {
  const items = { type: 'string', enum: Object.keys(route.properties) };
  const fields = { type: 'array', items, description: 'Absent: all of them.' };
  return { type: 'object', properties: { fields } };
}

const value = {
  oneOf: [{ type: 'integer', nullable: true }, { type: 'boolean' }, { type: 'string' }],
};

export const effectiveSchema = {
  type: 'object',
  properties: {
    settings: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          schema: { type: 'object', description: 'Type, bounds, default and meaning.' },
          saved: { ...value, description: 'Null: nothing was saved.' },
          effective: {
            type: 'object',
            description:
              'By wire, for a turn whose request, session and agent name none. Null means: no limit of tokens; for subagents the model and the time of the turn that delegates; all files, and 200 results of a search.',
            additionalProperties: {
              type: 'object',
              properties: { value, from: { type: 'string' } },
            },
          },
        },
      },
    },
  },
};
