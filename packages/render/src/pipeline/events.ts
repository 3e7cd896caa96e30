import type { Diagnostic } from '../model/diagnostic.ts';
import { type FileContent, inMemory } from '../model/file-content.ts';
import { encodedText } from '../text/encoded-text.ts';
import type { InPieces, OutputItem } from '../outputs/contract.ts';

export interface OutputFile {
  /** Relative, with forward slashes. */
  path: string;
  content: FileContent | { copyFrom: string } | InPieces;
  kind: 'page' | 'asset' | 'output';
}

export type RunEvent =
  /** `text` saves the check from decoding the file; `isSeen` means that the check has seen it already. */
  | { type: 'file'; file: OutputFile; text?: string; isSeen?: true }
  | { type: 'diagnostic'; diagnostic: Diagnostic };

export function eventOf(item: OutputItem): RunEvent {
  if ('finding' in item) return diagnostic(item.finding);
  return 'pieces' in item
    ? { type: 'file', file: { path: item.path, content: item, kind: 'output' } }
    : text(item.path, item.content, 'output');
}

/** A file that the check has seen already. */
export function seen(file: OutputFile): RunEvent {
  return { type: 'file', file, isSeen: true };
}

export function text(
  path: string,
  content: string | Uint8Array | InPieces,
  kind: OutputFile['kind'],
): RunEvent {
  if (typeof content !== 'string') {
    const bytes = content instanceof Uint8Array ? inMemory(content) : content;
    return { type: 'file', file: { path, content: bytes, kind } };
  }
  const file = { path, content: inMemory(encodedText(content)), kind };
  return path.endsWith('.html') ? { type: 'file', file, text: content } : { type: 'file', file };
}

export function diagnostic(item: Diagnostic): RunEvent {
  return { type: 'diagnostic', diagnostic: item };
}
