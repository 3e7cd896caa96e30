import { describe, expect, it } from 'vitest';
import { errorCodes, errorTable, failureCodes, failureTable, type ErrorCode } from './errors.ts';

describe('errorTable', () => {
  it.each(errorCodes)('%s is a snake_case code with an error status and a title', (code) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(errorTable[code].status).toBeGreaterThanOrEqual(400);
    expect(errorTable[code].status).toBeLessThan(600);
    expect(errorTable[code].title).toMatch(/^[A-Z].*[^.]$/);
  });

  it('the statuses that clients depend on are unchanged', () => {
    expect(statusOf('unauthorized')).toBe(401);
    expect(statusOf('plan_required')).toBe(403);
    expect(statusOf('not_found')).toBe(404);
    expect(statusOf('job_not_completed')).toBe(409);
    expect(statusOf('job_failed')).toBe(409);
    expect(statusOf('bundle_purged')).toBe(410);
    expect(statusOf('link_expired')).toBe(410);
    expect(statusOf('idempotency_key_reused')).toBe(422);
    expect(statusOf('rate_limited')).toBe(429);
    expect(statusOf('draining')).toBe(503);
  });

  it('every title is unique', () => {
    const titles = errorCodes.map((code) => errorTable[code].title);
    expect(new Set(titles).size).toBe(titles.length);
  });
});

describe('failureTable', () => {
  it.each(failureCodes)('%s is a snake_case code with a whole sentence', (code) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(failureTable[code].meaning).toMatch(/\.$/);
  });

  it('a canceled job is a failed job, so that clients stop polling', () => {
    expect(failureCodes).toContain('canceled');
  });
});

function statusOf(code: ErrorCode): number {
  return errorTable[code].status;
}
