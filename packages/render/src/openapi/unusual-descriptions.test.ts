import { beforeAll, describe, expect, it } from 'vitest';
import { type Rendered, renderFixture } from '../../test/support/render-fixture.ts';

let site: Rendered;

beforeAll(async () => {
  site = await renderFixture('openapi/unusual');
});

describe('a path with unusual characters', () => {
  it.each([
    ['fragment', 'List pets over RPC'],
    ['query', 'Search pets'],
    ['encoded', 'Unusual characters'],
    ['bare', 'Search pets'],
    ['api-reference/add-a-pet-over-rpc', 'Add a pet over RPC'],
  ])('the page "%s" shows the operation it names', (page, title) => {
    expect(site.files.get(`${page}.html`)).toMatch(new RegExp(`<h1[^>]*>${title}`));
  });

  it('a page that binds to a path with unusual characters has no finding', () => {
    expect(site.codes.filter((code) => code.startsWith('openapi_operation'))).toEqual([]);
  });
});

describe('a discriminator with a mapping and without oneOf', () => {
  it('a base schema offers the schemas of its mapping as choices', () => {
    const page = site.content('api-reference/list-pets.html');
    expect(page).toContain('Lives that are left.');
    expect(page).toContain('Tricks it knows.');
    expect(page).toMatch(/data-value="cat"|>Cat</);
    expect(page).toMatch(/data-value="dog"|>Dog</);
  });

  it('a schema that builds on the base offers no choice of its siblings', () => {
    const page = site.content('api-reference/list-pets.html');
    const cat = page.slice(page.indexOf('A cat'));
    expect(cat).not.toContain('Tricks it knows.');
  });
});
