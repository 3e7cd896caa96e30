/** Success messages, placed where they cover no control. Errors appear next to the form. */
import { createContext, useCallback, useContext, useEffect, useRef, useState, type ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { Icon } from './icons.tsx';
import { useToastPosition } from './use-toast-position.ts';

const shownMs = 5000;

interface Message {
  id: number;
  text: string;
}

const ShowToast = createContext<(text: string) => void>(() => undefined);

export function Toasts({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<Message[]>([]);
  // Hover and focus pause all toasts.
  const [held, setHeld] = useState(false);
  const count = useRef(0);
  const region = useRef<HTMLDivElement>(null);
  const place = useToastPosition(region, messages.length);
  const show = useCallback((text: string) => {
    count.current += 1;
    const id = count.current;
    setMessages((before) => [...before, { id, text }]);
  }, []);
  const close = useCallback((id: number) => {
    setMessages((before) => before.filter((message) => message.id !== id));
    setHeld(false);
  }, []);
  return (
    <ShowToast value={show}>
      {children}
      <div
        ref={region}
        className={place === undefined ? 'toasts toasts-hidden' : 'toasts'}
        style={place && { left: place.left, top: place.top }}
        role="region"
        aria-label="Notifications"
        aria-live="polite"
        onPointerEnter={() => setHeld(true)}
        onPointerLeave={() => setHeld(false)}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
      >
        {messages.map(({ id, text }) => (
          <Toast key={id} id={id} text={text} held={held} close={close} />
        ))}
      </div>
    </ShowToast>
  );
}

function Toast({ id, text, held, close }: Message & { held: boolean; close: (id: number) => void }) {
  useEffect(() => {
    if (held) return undefined;
    const timer = setTimeout(() => close(id), shownMs);
    return () => clearTimeout(timer);
  }, [held, close, id]);
  return (
    <div className="toast">
      <Icon name="check" />
      <p className="toast-title">{text}</p>
      <IconButton icon="close" label="Close" onClick={() => close(id)} />
    </div>
  );
}

export function useToast(): (text: string) => void {
  return useContext(ShowToast);
}
