/** Titles are plain text in which backticks mark code. */
import { escapeText } from '../text/html.ts';

export function inlineCode(text: string): string {
  return escapeText(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

export function plainTitle(text: string): string {
  return text.replaceAll('`', '').replaceAll(/<[^>]*>/g, '');
}
