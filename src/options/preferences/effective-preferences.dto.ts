import { ApiProperty } from '@nestjs/swagger';
import { listOf } from '../../http/fields/type-schema.js';
import type { EffectivePreference } from './effective-preferences.js';

export class EffectivePreferencesDto {
  @ApiProperty(listOf('EffectivePreference')) settings!: EffectivePreference[];
}
