/** The HTTP server: graceful shutdown, and JSON errors for requests that cannot be parsed. */
import { createConnection } from 'node:net';
import { Agent, request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { InProcessChanges } from '../adapters/changes/in-process.ts';
import {
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
  serveForTest,
  until,
} from '../../test/support/test-context.ts';

async function setUp() {
  const context = await composeForTest();
  const tenant = await createTenant(context);
  const service = await serveForTest(context);
  const port = Number(new URL(service.origin).port);
  return { context, tenant, service, port };
}

/** Sends raw text and returns everything that is received until the connection closes. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = createConnection(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
    socket.once('close', () => resolve(answer));
    socket.once('error', reject);
  });
}

describe('a server that closes', () => {
  test('a closing server answers pending requests and accepts no new ones', async () => {
    const { context, tenant, service } = await setUp();
    const project = await createTestProject(context, tenant);
    const { id } = await createExport(context, tenant, project);
    const waiting = service.request(`/v1/static-export/jobs/${id}`, {
      headers: { prefer: 'wait=30' },
      key: tenant.key.key,
    });
    await until(() => (context.changes as InProcessChanges).isListenedTo(id));
    const before = performance.now();
    const closed = service.close(10);
    service.stopping.abort();
    const answer = await waiting;
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ jobId: id });
    await closed;
    // The client keeps the connection alive; it becomes idle only after the close and must not delay it.
    expect(performance.now() - before).toBeLessThan(5000);
    await expect(service.request('/healthz')).rejects.toThrow();
  });

  test('a closing server does not wait for idle connections', async () => {
    const { service } = await setUp();
    const agent = new Agent({ keepAlive: true });
    await new Promise<void>((resolve, reject) => {
      httpRequest(`${service.origin}/healthz`, { agent }, (answer) => answer.resume().once('end', resolve))
        .once('error', reject)
        .end();
    });
    const before = performance.now();
    await service.close(10);
    expect(performance.now() - before).toBeLessThan(2000);
    agent.destroy();
  });

  test('a closing server ends pending requests after the grace period', async () => {
    const { context, tenant, service } = await setUp();
    const project = await createTestProject(context, tenant);
    const { id } = await createExport(context, tenant, project);
    const stuck = service
      .request(`/v1/static-export/jobs/${id}`, { headers: { prefer: 'wait=30' }, key: tenant.key.key })
      .catch(() => 'cut');
    await until(() => (context.changes as InProcessChanges).isListenedTo(id));
    const before = performance.now();
    await service.close(0.2);
    expect(performance.now() - before).toBeLessThan(5000);
    expect(await stuck).toBe('cut');
  });
});

describe('a malformed request', () => {
  test.each([
    ['nonsense\r\n\r\n', 400, 'invalid_request'],
    ['GET / HTTP/9.9\r\nHost: x\r\n\r\n', 400, 'invalid_request'],
    [
      'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'invalid_request',
    ],
    [`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ])('the request %j is answered %i as JSON and the connection is closed', async (text, status, code) => {
    const { port } = await setUp();
    const answer = await raw(port, text);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head.split('\r\n')[0]).toContain(`HTTP/1.1 ${status}`);
    expect(head).toContain('Content-Type: application/json');
    expect(head).toContain('Connection: close');
    expect(JSON.parse(body)).toMatchObject({ code });
  });

  test('a malformed request does not affect the next client', async () => {
    const { port, service } = await setUp();
    await raw(port, '\0\0\0\0\r\n\r\n');
    expect((await service.request('/healthz')).status).toBe(200);
  });
});
