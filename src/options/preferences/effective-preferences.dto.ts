import { ApiProperty } from '@nestjs/swagger';
import type { EffectivePreference } from './effective-preferences.js';

const value = {
  oneOf: [{ type: 'integer', nullable: true }, { type: 'boolean' }, { type: 'string' }],
};

class EffectivePreferenceDto implements EffectivePreference {
  @ApiProperty({ type: String, description: 'The field’s name in a change.' })
  name!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'JSON schema: type, bounds, default and meaning.',
  })
  schema!: EffectivePreference['schema'];

  @ApiProperty({ ...value, description: 'Null: nothing was saved.' })
  saved!: EffectivePreference['saved'];

  @ApiProperty({
    type: 'object',
    description:
      'By wire, for a turn whose request, session and agent name none. Null means: no limit of tokens; for subagents the model and the time of the turn that delegates; all files, and 200 results of a search.',
    additionalProperties: {
      type: 'object',
      properties: { value, from: { type: 'string' } },
    },
  })
  effective!: EffectivePreference['effective'];
}

export class EffectivePreferencesDto {
  @ApiProperty({ type: [EffectivePreferenceDto] })
  settings!: EffectivePreferenceDto[];
}
