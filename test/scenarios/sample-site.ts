/** Tasks on the sample site, each with the calls that solve it. */
import { fileURLToPath } from 'node:url';
import type { Scenario, Site } from './scenario.ts';

const site: Site = {
  name: 'sample',
  folder: fileURLToPath(new URL('../../packages/server/sample', import.meta.url)),
};

const read = (path: string) => ({ name: 'read_file', input: { path } });
const edit = (path: string, before: string, after: string) => ({
  name: 'edit_file',
  input: { path, old: before, new: after },
});
const wrong = (isWrong: boolean, words: string): string[] => (isWrong ? [words] : []);
const only = (changed: string[], ...wanted: string[]): string[] =>
  wrong(changed.join() !== wanted.toSorted().join(), `changed ${changed.join(', ')}`);

const page = (title: string, text: string): string =>
  `---\ntitle: ${title}\ndescription: ${title}, in short.\n---\n\n${text}\n`;

export const sampleScenarios: Scenario[] = [
  {
    name: 'correct a figure',
    site,
    instruction:
      'The cup wheel should coast for nine seconds in June, not eight. Correct the table on the care page.',
    calls: [
      read('living/care.mdx'),
      edit(
        'living/care.mdx',
        'It should coast for eight seconds | 1',
        'It should coast for nine seconds | 1',
      ),
    ],
    check: ({ text, changed }) => [
      ...only(changed, 'living/care.mdx'),
      ...wrong(!text('living/care.mdx').includes('nine seconds | 1'), 'the figure is as it was'),
    ],
  },
  {
    name: 'move a page',
    site,
    instruction:
      'Move the page setup/siting to planning/siting. All links must work, also old ones from outside.',
    calls: [{ name: 'move_page', input: { from: 'setup/siting.mdx', to: 'planning/siting.mdx' } }],
    check: ({ text }) => [
      ...wrong(text('setup/siting.mdx') !== '', 'the old file is still there'),
      ...wrong(text('planning/siting.mdx') === '', 'the new file is missing'),
      ...wrong(!text('docs.json').includes('"planning/siting"'), 'the navigation lacks the page'),
      ...wrong(!/"source": "\/setup\/siting"/.test(text('docs.json')), 'there is no redirect'),
      ...wrong(text('living/questions.mdx').includes('(/setup/siting)'), 'an old link is left'),
    ],
  },
  {
    name: 'add a page',
    site,
    instruction: 'Add a page living/winter about snow on the funnel, after the care page in the navigation.',
    calls: [
      {
        name: 'write_file',
        input: { path: 'living/winter.mdx', content: page('Winter', 'Brush snow off the funnel.') },
      },
      read('docs.json'),
      edit('docs.json', '"living/care", ', '"living/care", "living/winter", '),
    ],
    check: ({ text, changed }) => [
      ...only(changed, 'docs.json', 'living/winter.mdx'),
      ...wrong(!/"living\/care",\s*"living\/winter"/.test(text('docs.json')), 'it is at another place'),
    ],
  },
  {
    name: 'remove a page',
    site,
    instruction:
      'Remove the page living/questions, with its entries in the navigation, and lead its address to living/care.',
    calls: [
      read('docs.json'),
      {
        name: 'multi_edit',
        input: {
          path: 'docs.json',
          edits: [
            { old: '"living/care", "living/questions"]', new: '"living/care"]' },
            { old: '"href": "/living/questions"', new: '"href": "/living/care"' },
            {
              old: '"redirects": [',
              new: '"redirects": [{ "source": "/living/questions", "destination": "/living/care" }, ',
            },
          ],
        },
      },
      { name: 'delete_file', input: { path: 'living/questions.mdx', force: true } },
    ],
    check: ({ text }) => [
      ...wrong(text('living/questions.mdx') !== '', 'the page is still there'),
      ...wrong(text('docs.json').includes('"living/questions"'), 'the navigation still names it'),
    ],
  },
  {
    name: 'reword a heading',
    site,
    instruction: 'On the care page, let the heading "Clean the rain bucket" say "tipping bucket".',
    calls: [
      read('living/care.mdx'),
      edit('living/care.mdx', '## Clean the rain bucket', '## Clean the tipping bucket'),
    ],
    check: ({ text }) =>
      wrong(!text('living/care.mdx').includes('## Clean the tipping bucket'), 'the heading is as it was'),
  },
  {
    name: 'add a question',
    site,
    instruction:
      'Add the question "Can it stand on a boat?" to the questions page. The answer is: No, the vane needs a fixed north.',
    calls: [
      read('living/questions.mdx'),
      edit(
        'living/questions.mdx',
        '  <Accordion title="What does the name mean?">',
        '  <Accordion title="Can it stand on a boat?">\n    No, the vane needs a fixed north.\n  </Accordion>\n  <Accordion title="What does the name mean?">',
      ),
    ],
    check: ({ text, changed }) => [
      ...only(changed, 'living/questions.mdx'),
      ...wrong(!text('living/questions.mdx').includes('fixed north'), 'the answer is missing'),
    ],
  },
  {
    name: 'add a redirect',
    site,
    instruction: 'Lead the address /help to the questions page.',
    calls: [
      read('docs.json'),
      edit(
        'docs.json',
        '"redirects": [',
        '"redirects": [{ "source": "/help", "destination": "/living/questions" }, ',
      ),
    ],
    check: ({ text, changed }) => [
      ...only(changed, 'docs.json'),
      ...wrong(!/"\/help"/.test(text('docs.json')), 'the redirect is missing'),
    ],
  },
  {
    name: 'link two pages',
    site,
    instruction: 'In the first sentence of the care page, link to the questions page.',
    calls: [
      read('living/care.mdx'),
      edit(
        'living/care.mdx',
        'Tern asks for little.',
        'Tern asks for little; [questions](/living/questions) has more.',
      ),
    ],
    check: ({ text }) => wrong(!text('living/care.mdx').includes('](/living/questions)'), 'there is no link'),
  },
];
