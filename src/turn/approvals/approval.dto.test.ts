import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { takeRequest } from '../../http/request.pipe.js';
import { newId } from '../../platform/ids.js';
import { ApprovalQueryDto } from './approval.dto.js';

describe('ApprovalQueryDto', () => {
  it('asks for open ones, fifty at a time, unless it says otherwise', async () => {
    expect(await takeRequest(ApprovalQueryDto, { turnId: '', cursor: '' })).toEqual({
      status: 'pending',
      limit: 50,
    });
    const asked = { sessionId: newId('sess'), status: 'all', limit: '7' };
    expect(await takeRequest(ApprovalQueryDto, asked)).toEqual({
      sessionId: asked.sessionId,
      status: 'all',
      limit: 7,
    });
  });

  it.each([
    [{ status: 'open' }, "Missing or invalid 'status': pending or all"],
    [{ sessionId: 'x' }, "Missing or invalid 'sessionId'"],
    [{ turnId: ['turn_1'] }, "Missing or invalid 'turnId'"],
    [{ cursor: '2' }, "Missing or invalid 'cursor'"],
    [
      { other: 'x' },
      'The query has no field "other"; its fields are sessionId, turnId, status, cursor, limit',
    ],
    [{ limit: '0' }, "'limit' must be a whole number from 1 to 200"],
  ])('refuses %j', async (query, message) => {
    await expect(takeRequest(ApprovalQueryDto, query)).rejects.toMatchObject({
      type: 'INVALID_REQUEST',
      status: 400,
      message,
    });
  });
});
