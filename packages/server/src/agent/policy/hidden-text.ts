/**
 * Blocks text that only machines read: invisible characters, comments, hidden elements. Prompt injections for
 * the next agent hide there.
 */
import type { PageCode } from '@docyard/render/source-rules';
import type { DiffFile } from '../contract.ts';
import { type Change, type Objection, type Rule, addedTo, block, draft, isPage, quoted } from './rule.ts';

export const hiddenTextRule: Rule = {
  name: 'hidden-text',
  judge: (change) => change.files.flatMap((file) => [...judgeCharacters(file), ...judgePage(file, change)]),
};

/**
 * Characters that Unicode renders as nothing. Joiners and variation selectors are legitimate in some contexts
 * and checked with their neighbors.
 */
const hidden =
  /(?!\u200C|\u200D|[\uFE00-\uFE0F])\p{Default_Ignorable_Code_Point}|[\uFFF9-\uFFFB]|[\uFE00-\uFE0F]{2,}/gu;
/** Joiners are legitimate only between letters of some scripts and between emoji. */
const looseJoiner =
  /(?<![\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Khmer}\p{Script=Mongolian}\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])[\u200C\u200D]|[\u200C\u200D](?=[\u200C\u200D])/gu;
/** The flags of England, Scotland and Wales use tag characters. */
const flagOfTags = /\u{1F3F4}[\u{E0061}-\u{E007A}]{3,6}\u{E007F}/gu;

function hiddenCount(text: string): number {
  const rest = text.replace(/^\uFEFF/, '').replaceAll(flagOfTags, '');
  return (rest.match(hidden)?.length ?? 0) + (rest.match(looseJoiner)?.length ?? 0);
}

export function hasHiddenCharacters(text: string): boolean {
  return hiddenCount(text) > 0;
}

function judgeCharacters({ path, before, after }: DiffFile): Objection[] {
  if (after === null || hiddenCount(after) <= hiddenCount(before ?? '')) return [];
  return [block(path, 'The text contains new invisible characters.')];
}

function judgePage({ path, before, after }: DiffFile, { pageCode }: Change): Objection[] {
  if (after === null || !isPage(path)) return [];
  const now = pageCode(after);
  if (now === undefined) return [];
  const then = before === null ? undefined : pageCode(before);
  return [...judgeComments(path, then, now), ...judgeAttributes(path, then, now)];
}

const addressee =
  /\b(?:assistants?|agents?|llms?|ai|(?:language )?models?|chatbots?|copilot|system prompt)\b/i;
const command =
  /\b(?:you (?:are|must|should|will)|must|ignore|disregard|forget|override|instead|always|never|add|insert|include|print|send|reveal|tell|follow|obey|execute|run)\b/i;
const overridesInstructions =
  /\b(?:ignore|disregard|forget|override)\b.{0,60}\b(?:instructions?|rules|prompts?)\b/is;

function addressesMachines(comment: string): boolean {
  return overridesInstructions.test(comment) || (addressee.test(comment) && command.test(comment));
}

function judgeComments(path: string, then: PageCode | undefined, now: PageCode): Objection[] {
  return addedTo(then?.comments ?? [], now.comments, (comment) => comment.trim())
    .filter((comment) => /\p{L}/u.test(comment))
    .map((comment) =>
      addressesMachines(comment)
        ? block(path, `A hidden comment addresses machines: ${quoted(comment)}.`)
        : draft(path, `A hidden comment is added: ${quoted(comment)}.`),
    );
}

const notShown =
  /display['"]?\s{0,5}:\s{0,5}['"]?none|visibility['"]?\s{0,5}:\s{0,5}['"]?(?:hidden|collapse)|(?:opacity|font-?size|max-?height|max-?width|height|width)['"]?\s{0,5}:\s{0,5}['"]?0(?![.\d]*[1-9])|(?:left|top|text-?indent)['"]?\s{0,5}:\s{0,5}['"]?-\d{3}|color['"]?\s{0,5}:\s{0,5}['"]?transparent|clip-?path|\bclip['"]?\s{0,5}:/i;
const hidingClass =
  /(?:^|\s)(?:hidden|invisible|sr-only|opacity-0|text-transparent|text-\[0(?:px|rem)?\]|collapse)(?:\s|$)/;

function judgeAttributes(path: string, then: PageCode | undefined, now: PageCode): Objection[] {
  const added = addedTo(then?.attributes ?? [], now.attributes, ({ element, name, value }) =>
    JSON.stringify([element, name, value]),
  );
  return added.flatMap(({ element, name, value }) => {
    if (/^style$/i.test(name) && notShown.test(value))
      return [block(path, `<${element}> is styled to be invisible.`)];
    if (/^hidden$/i.test(name) && /^[a-z]/.test(element))
      return [block(path, `<${element}> is hidden from readers.`)];
    // `hidden dark:block` shows a picture in one color scheme only.
    if (
      /^class(?:Name)?$/i.test(name) &&
      hidingClass.test(value) &&
      !/\b[\w-]+:(?:block|flex|inline|grid|visible)/.test(value)
    )
      return [draft(path, `<${element}> has a class that hides it: ${quoted(value)}.`)];
    return [];
  });
}
