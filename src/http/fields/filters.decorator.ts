import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { BoundedText, EmptyIsAbsent, Rule, mustBe } from './field-rules.decorator.js';

/** A number in a query. */
export function NumberFilter(description: string) {
  return applyDecorators(
    ApiProperty({ type: Number, required: false, description }),
    EmptyIsAbsent(),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && value.trim() !== '' ? Number(value) : value,
    ),
    Rule('isNumber', (value) => Number.isFinite(value), mustBe('a number')),
  );
}

/** A text in a query, as it is stored. */
export function TextFilter(description: string, max: number) {
  return applyDecorators(
    EmptyIsAbsent(),
    BoundedText({ max, description }),
    ApiProperty({ required: false }),
  );
}

/** A moment in a query, in UTC. */
export function TimeFilter(description: string) {
  const words = mustBe('a time in UTC, as 2026-01-31T12:00:00Z');
  return applyDecorators(
    ApiProperty({ type: String, format: 'date-time', required: false, description }),
    EmptyIsAbsent(),
    Rule('isTime', isTime, words),
  );
}

/** A day in a query, in UTC. */
export function DayFilter(description: string) {
  const words = mustBe('a day in UTC, as 2026-01-31');
  return applyDecorators(
    ApiProperty({ type: String, format: 'date', required: false, description }),
    EmptyIsAbsent(),
    Rule('isDay', (value) => isTime(`${String(value)}T00:00:00Z`), words),
  );
}

/** Several of some words in a query, with commas between them. */
export function ListFilter(words: readonly string[], description: string) {
  const isList = (value: unknown): boolean =>
    typeof value === 'string' && value.split(',').every((one) => words.includes(one));
  return applyDecorators(
    ApiProperty({ type: String, required: false, description, example: words.join(',') }),
    EmptyIsAbsent(),
    Rule('isList', isList, mustBe(`any of ${words.join(', ')}, with commas between them`)),
  );
}

/** @returns false also for a day that no month has, as February 30, which `Date` takes for March 2 and the database refuses. */
function isTime(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/.test(value)) return false;
  const [day = '', time = ''] = value.split('T');
  const midnight = new Date(`${day}T00:00:00Z`);
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  // The calendar of the database has no year 0.
  return isDay && !day.startsWith('0000') && !Number.isNaN(Date.parse(`${day}T${time}`));
}
