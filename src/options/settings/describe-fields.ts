import { agentConfigFields } from '../../governance/agent-config.js';
import { modelFields } from './model-settings.js';
import { wholeNumber, type SettingSchema, type SettingValue } from './setting-rules.js';

export interface DescribedField extends SettingSchema {
  default?: SettingValue;
  description: string;
}

export interface DescribedFields {
  type: 'object';
  properties: Record<string, DescribedField>;
}

const limits = agentConfigFields.map((field): [string, DescribedField] => [
  field.wireName,
  { ...wholeNumber(field).schema, default: field.default, description: field.meaning },
]);

const others = modelFields.map((field): [string, DescribedField] => [
  field.wireName,
  {
    ...field.rule.schema,
    ...(field.default === undefined ? {} : { default: field.default }),
    description:
      field.default === undefined
        ? `${field.meaning} Default: the server's default model.`
        : field.meaning,
  },
]);

/** JSON schemas of the settings, for the API's description. */
export const agentConfigSchema: DescribedFields = {
  type: 'object',
  properties: Object.fromEntries(limits),
};

export const settingsSchema: DescribedFields = {
  type: 'object',
  properties: Object.fromEntries([...others, ...limits]),
};
