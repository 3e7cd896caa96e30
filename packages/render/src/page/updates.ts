/**
 * Feed items of the changelog entries on a page: one for each heading inside an entry, or one for the whole
 * entry when it has none or defines its feed text.
 */
import { textOfHtml } from '../text/html.ts';
import type { FeedItem, RenderedUpdate } from '../model/page.ts';

const maxDescriptionCharacters = 1000;

export function feedItems(update: RenderedUpdate): FeedItem[] {
  const { tags } = update;
  const date = dateIn(update.label) ?? dateIn(update.description);
  const own = headingsIn(update.heading)[0];
  const anchor = own?.id ?? '';
  const label = update.label || update.description;
  if (update.feed)
    return [
      {
        title: update.feed.title ?? label,
        description: update.feed.description ?? plainText(update.body),
        anchor,
        tags,
        date,
      },
    ];
  const headings = headingsIn(update.body);
  if (headings.length === 0)
    return [{ title: label, description: plainText(update.body), anchor, tags, date }];
  return headings.map(({ text, id, end }, index) => ({
    title: text,
    description: plainText(update.body.slice(end, headings[index + 1]?.start)),
    anchor: id,
    tags,
    date,
  }));
}

interface HeadingPlace {
  text: string;
  id: string;
  start: number;
  end: number;
}

function headingsIn(html: string): HeadingPlace[] {
  return [...html.matchAll(/<h([2-6]) id="([^"]*)"[^>]*>([\s\S]*?)<\/h\1>/g)].map((match) => ({
    text: plainText(match[3] ?? ''),
    id: textOfHtml(match[2] ?? ''),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

function plainText(html: string): string {
  const prose = html.replaceAll(
    /<a class="dy-anchor"[\s\S]*?<\/a>|<(pre|svg|button|figure|style)\b[\s\S]*?<\/\1>/g,
    ' ',
  );
  const text = textOfHtml(prose.replaceAll(/<\/(?:p|li|h\d|div|tr|ul|ol)>/g, '$& '))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text.length > maxDescriptionCharacters
    ? `${text.slice(0, maxDescriptionCharacters).trimEnd()}…`
    : text;
}

const months = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'.split('|');
const monthName = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}';
const isoDay = /\b(\d{4})-(\d{2})-(\d{2})\b/;
const monthFirst = new RegExp(`\\b${monthName}\\.? (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})\\b`, 'i');
const dayFirst = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)? ${monthName}\\.?,? (\\d{4})\\b`, 'i');

/**
 * Only a full day is a date: `June 17, 2026`, `17 June 2026`, `2026-06-17`. A guess would order a feed
 * wrongly.
 */
export function dateIn(text: string): string | undefined {
  const short = text.slice(0, 200);
  const iso = isoDay.exec(short);
  if (iso) return day(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const first = monthFirst.exec(short);
  if (first) return day(Number(first[3]), monthNumber(first[1]), Number(first[2]));
  const second = dayFirst.exec(short);
  return second ? day(Number(second[3]), monthNumber(second[2]), Number(second[1])) : undefined;
}

function monthNumber(name = ''): number {
  return months.indexOf(name.toLowerCase()) + 1;
}

function day(year: number, month: number, date: number): string | undefined {
  const time = new Date(Date.UTC(year, month - 1, date));
  const isReal = time.getUTCMonth() === month - 1 && time.getUTCDate() === date && year >= 1000;
  return isReal ? time.toISOString().slice(0, 10) : undefined;
}
