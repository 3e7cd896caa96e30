/** Distinguishes agents from humans by what a client says about itself. Unknown clients are humans. */
import type { IncomingMessage } from 'node:http';
import type { ReaderKind } from '@docyard/api';

const maxCharacters = 1000;

/** In lower case. The manual lists them. */
const agentNames = (
  'bot crawler spider slurp scrapy headlesschrome lighthouse chatgpt-user claude-user ' +
  'claude-web anthropic-ai perplexity mistralai-user cohere-ai bytespider google-extended ' +
  'googleother meta-external facebookexternalhit curl/ wget/ httpie/ python-requests ' +
  'python-urllib aiohttp httpx go-http-client node-fetch undici axios okhttp java/ libwww ' +
  'ruby postmanruntime'
).split(' ');

export function readerKindOf({ headers }: Pick<IncomingMessage, 'headers'>): ReaderKind {
  const name = headers['user-agent']?.slice(0, maxCharacters).toLowerCase() ?? '';
  return name === '' || name === 'node' || agentNames.some((agent) => name.includes(agent))
    ? 'agent'
    : 'human';
}
