import { expect, test } from 'vitest';
import { findToastPosition, coversNoControl } from './toast-position.ts';

const size = { width: 360, height: 48 };

test('a toast stands in the bottom right corner of an empty page', () => {
  expect(findToastPosition(size, { width: 1440, height: 900 }, [])).toEqual({
    left: 1064,
    top: 836,
    right: 1424,
    bottom: 884,
  });
});

test('a toast moves up until it covers no control', () => {
  const save = { left: 1200, top: 850, right: 1300, bottom: 886 };
  const place = findToastPosition(size, { width: 1440, height: 900 }, [save]);
  expect(place?.bottom).toBeLessThan(save.top);
});

test('a toast moves to the other side when a column of controls fills its own', () => {
  const column = { left: 1100, top: 0, right: 1440, bottom: 900 };
  const place = findToastPosition(size, { width: 1440, height: 900 }, [column]);
  expect(place?.right).toBeLessThan(column.left);
  expect(place === undefined || coversNoControl(place, [column])).toBe(true);
});

test('a toast has no place on a page that is full of controls', () => {
  const page = { left: 0, top: 0, right: 390, bottom: 844 };
  expect(findToastPosition(size, { width: 390, height: 844 }, [page])).toBeUndefined();
});
