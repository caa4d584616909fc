import { ApiProperty } from '@nestjs/swagger';
import { listOf } from '../../http/fields/json-schemas.js';
import type { EffectivePreference } from './effective-preferences.js';

export class EffectivePreferencesDto {
  @ApiProperty(listOf('EffectivePreference')) settings!: EffectivePreference[];
}
