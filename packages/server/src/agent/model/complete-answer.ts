/** Corrects what a server leaves in the text of an answer: reasoning, tool calls and parts of tool names. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ModelAnswer, ModelRequest, ToolCall } from '../contract.ts';
import { objectOf } from './json-fields.ts';
import { toolNameIn, type OfferedTool, type TextCall } from './text-call-formats.ts';
import { readTextCalls } from './text-calls.ts';
import { splitReasoning } from './text-reasoning.ts';

export function completeAnswer(given: ModelAnswer, tools: ModelRequest['tools']): ModelAnswer {
  const split = splitReasoning(given.text);
  const reasoning = [given.reasoning ?? '', split.reasoning].filter((part) => part !== '').join('\n\n');
  const named = given.calls.map((call) => ({ ...call, name: toolNameIn(call.name, tools) ?? call.name }));
  const found =
    named.length > 0 ? { text: split.text, calls: [] } : callsOfText(split.text, reasoning, tools);
  const calls = [...named, ...found.calls.map(withId)];
  const isCall = calls.length > 0 && (given.stopReason === 'end' || given.stopReason === 'other');
  const { reasoning: _, ...answer } = given;
  return {
    ...answer,
    ...(reasoning === '' ? {} : { reasoning }),
    text: found.text,
    calls,
    stopReason: isCall ? 'tool-calls' : given.stopReason,
    ...('unreadCall' in found ? { unreadCall: found.unreadCall } : {}),
  };
}

/** Some servers take a call that follows the reasoning for a part of it. */
function callsOfText(
  text: string,
  reasoning: string,
  tools: ModelRequest['tools'],
): { text: string; calls: TextCall[]; unreadCall?: string } {
  const offered = tools.map(offeredTool);
  if (text.trim() !== '') return readTextCalls(text, offered);
  return { text, calls: readTextCalls(reasoning, offered).calls };
}

function offeredTool({ name, input }: ModelRequest['tools'][number]): OfferedTool {
  const properties = objectOf(z.toJSONSchema(input, { io: 'input' }).properties) ?? {};
  const texts = Object.entries(properties).filter(([, value]) => objectOf(value)?.['type'] === 'string');
  return { name, textParameters: new Set(texts.map(([key]) => key)) };
}

/** Mistral accepts only ids of nine letters and digits. */
function withId({ name, input }: TextCall): ToolCall {
  const id = randomUUID().replaceAll('-', '').slice(0, 9);
  return objectOf(input) ? { id, name, input } : { id, name, input: String(input), isMalformed: true };
}
