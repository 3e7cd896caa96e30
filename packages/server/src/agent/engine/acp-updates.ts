/** Reads the updates of a session. What an agent reports is shown in the transcript and never trusted. */
import { posix } from 'node:path';
import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import type { ToolCall } from '../contract.ts';
import { ownToolPrefix } from './external-call.ts';
import { siteInside } from './sandbox.ts';

export type AgentUpdate =
  | { kind: 'text'; text: string }
  | { kind: 'call'; call: ToolCall; text: string; isError: boolean };

interface OpenCall {
  title: string;
  kind: string;
  path: string | undefined;
  input: unknown;
  text: string;
}

const maxTitleCharacters = 500;
const maxInputCharacters = 4000;
const maxResultCharacters = 8000;
const maxOpenCalls = 1000;

/** The function returns undefined for updates that are not shown, such as thoughts and plans. */
export function createUpdateReader(): (update: SessionUpdate) => AgentUpdate | undefined {
  const open = new Map<string, OpenCall>();
  return (update) => {
    if (update.sessionUpdate === 'agent_message_chunk') {
      return update.content.type === 'text' ? { kind: 'text', text: update.content.text } : undefined;
    }
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return undefined;
    const { toolCallId: id, status } = update;
    const call = merge(open.get(id), update);
    if (status !== 'completed' && status !== 'failed') {
      if (open.size < maxOpenCalls) open.set(id, call);
      return undefined;
    }
    open.delete(id);
    return finished(id, call, status === 'failed');
  };
}

type CallUpdate = Extract<SessionUpdate, { sessionUpdate: 'tool_call' | 'tool_call_update' }>;

function merge(known: OpenCall | undefined, update: CallUpdate): OpenCall {
  const { title, kind, locations, rawInput, rawOutput, content } = update;
  const text = contentText(content ?? []) || outputText(rawOutput);
  return {
    title: (title ?? known?.title ?? '').slice(0, maxTitleCharacters),
    kind: kind ?? known?.kind ?? 'other',
    path: locations?.[0]?.path ?? known?.path,
    input: boundedInput(rawInput) ?? known?.input,
    text: text === '' ? (known?.text ?? '') : shorten(text, maxResultCharacters),
  };
}

function finished(id: string, { title, kind, path, input, text }: OpenCall, isError: boolean): AgentUpdate {
  const shown = path === undefined ? {} : { path: shownPath(path) };
  const given = input === undefined ? {} : { input };
  return {
    kind: 'call',
    call: { id: id.slice(0, 100), name: `${ownToolPrefix}${kind}`, input: { title, ...shown, ...given } },
    text: text === '' ? title : text,
    isError,
  };
}

function contentText(content: readonly ToolCallContent[]): string {
  return content
    .map((part) => {
      if (part.type === 'content') return part.content.type === 'text' ? part.content.text : '';
      return part.type === 'diff' ? `Changed ${shownPath(part.path)}.` : '';
    })
    .filter((text) => text !== '')
    .join('\n');
}

function outputText(output: unknown): string {
  if (output === undefined || output === null) return '';
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function boundedInput(input: unknown): unknown {
  if (input === undefined || input === null) return undefined;
  const text = JSON.stringify(input);
  if (text === '{}') return undefined;
  return text.length <= maxInputCharacters ? input : shorten(text, maxInputCharacters);
}

function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters)}… (${text.length} characters)`;
}

function shownPath(path: string): string {
  const full = posix.resolve(siteInside, path);
  return full.startsWith(`${siteInside}/`) ? full.slice(siteInside.length + 1) : full;
}
