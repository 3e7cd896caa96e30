/**
 * The sandboxed process that carries out one order and then exits. It has no network, no database and no
 * secrets except the content key of its project.
 */
import { prepareRenderProcesses } from '@docyard/render/start-process';
import { withBytesAsText, withTextAsBytes } from '../sandbox/protocol.ts';
import { FetchRequests } from './fetch-requests.ts';
import type { Fetched, History, Message, Order, Signed } from './messages.ts';

const fetches = new FetchRequests(send);
const signed = Promise.withResolvers<string>();
const history = Promise.withResolvers<History>();

process.on('message', (raw) => {
  const message = withTextAsBytes(raw) as Order | Fetched | Signed | History;
  if (message.type === 'fetched') fetches.settle(message);
  else if (message.type === 'signed') signed.resolve(message.signature);
  else if (message.type === 'history') history.resolve(message);
  else void start(message);
});

// The parent has ended.
process.once('disconnect', () => process.exit());

async function start(order: Order): Promise<void> {
  // The render processes load their code while this one loads the rest of its own.
  if (order.type === 'export') prepareRenderProcesses(order.renderProcesses);
  const { carryOut } = await import('./carry-out.ts');
  await carryOut(order, { send, fetches, signed: signed.promise, readHistory });
  process.disconnect();
}

function readHistory(): Promise<History> {
  send({ type: 'history' });
  return history.promise;
}

function send(message: Message): void {
  process.send?.(withBytesAsText(message));
}
