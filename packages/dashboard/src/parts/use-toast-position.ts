/** Keeps toasts away from controls while the page scrolls and changes. */
import { useLayoutEffect, useState, type RefObject } from 'react';
import { controlsInView, findToastPosition, coversNoControl, type Box } from './toast-position.ts';

const checkMs = 200;

/** Undefined while every position covers a control. */
export function useToastPosition(region: RefObject<HTMLElement | null>, count: number): Box | undefined {
  const [place, setPlace] = useState<Box>();
  useLayoutEffect(() => {
    if (count === 0) return undefined;
    let current: Box | undefined;
    const choose = () => {
      const { offsetWidth: width, offsetHeight: height } = region.current ?? document.body;
      const controls = controlsInView();
      const isKept = current !== undefined && isInView(current) && coversNoControl(current, controls);
      if (isKept) return;
      const { clientWidth, clientHeight } = document.documentElement;
      current = findToastPosition({ width, height }, { width: clientWidth, height: clientHeight }, controls);
      setPlace(current);
    };
    choose();
    const timer = setInterval(choose, checkMs);
    addEventListener('scroll', choose, { capture: true, passive: true });
    addEventListener('resize', choose);
    return () => {
      clearInterval(timer);
      removeEventListener('scroll', choose, { capture: true });
      removeEventListener('resize', choose);
    };
  }, [region, count]);
  return place;
}

function isInView({ right, bottom }: Box): boolean {
  return right <= globalThis.innerWidth && bottom <= globalThis.innerHeight;
}
