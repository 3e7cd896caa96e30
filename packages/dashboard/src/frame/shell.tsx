/** The page around every screen: sidebar, top bar and user menu. */
import { Dialog } from '@base-ui/react/dialog';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { Icon } from '../parts/icons.tsx';
import { Brand } from '../parts/brand.tsx';
import { Menu } from '../parts/menu.tsx';
import { Note } from '../parts/note.tsx';
import { CommandPalette, PaletteButton } from './palette.tsx';
import { useNavigation, type NavigationEntry } from './navigation.ts';
import { schemes, useScheme } from './scheme.ts';
import { useServerAway } from '../api/server-watch.ts';
import { useSession, useSignOut } from '../session/session.tsx';

export function Shell({ children }: { children: ReactNode }) {
  const [here] = useLocation();
  const [open, setOpen] = useState(false);
  const [searching, setSearching] = useState(false);
  const search = () => {
    setOpen(false);
    setSearching(true);
  };
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  useEffect(() => {
    setOpen(false);
    // Move the keyboard focus to the new screen.
    if (!first.current) main.current?.focus({ preventScroll: true });
    first.current = false;
    globalThis.scrollTo(0, 0);
  }, [here]);
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="topbar">
        <Brand />
        <Dialog.Root open={open} onOpenChange={setOpen}>
          <Dialog.Trigger className="icon-button" aria-label="Menu">
            <Icon name="menu" />
          </Dialog.Trigger>
          <Dialog.Portal>
            <Dialog.Backdrop className="veil" />
            <Dialog.Popup className="drawer" aria-label="Menu">
              <Sidebar search={search} />
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
      </header>
      <Sidebar search={search} />
      <main id="content" className="content" ref={main} tabIndex={-1}>
        <Outage />
        {children}
      </main>
      <CommandPalette open={searching} setOpen={setSearching} />
    </div>
  );
}

function Outage() {
  const isAway = useServerAway();
  return (
    <div role="status" className="outage">
      {isAway && (
        <Note tone="warn">
          The server cannot be reached. This page reconnects automatically and shows the last known state
          until then.
        </Note>
      )}
    </div>
  );
}

function Sidebar({ search }: { search: () => void }) {
  const { work, organization } = useNavigation();
  return (
    <aside className="sidebar" aria-label="Sidebar">
      <Brand />
      <PaletteButton open={search} />
      <nav aria-label="Main" className="menu">
        <Entries entries={work} />
      </nav>
      <nav aria-label="Organization" className="menu">
        <p className="menu-title">Organization</p>
        <Entries entries={organization} />
      </nav>
      <div className="sidebar-foot">
        <nav aria-label="Help" className="menu">
          <a href="/docs/">
            <Icon name="help" />
            Manual
          </a>
        </nav>
        <UserMenu />
      </div>
    </aside>
  );
}

function Entries({ entries }: { entries: NavigationEntry[] }) {
  const [here] = useLocation();
  return entries.map(({ to, label, icon }) => (
    <Link key={to} to={to} aria-current={isCurrent(here, to) ? 'page' : undefined}>
      <Icon name={icon} />
      {label}
    </Link>
  ));
}

function isCurrent(here: string, to: string): boolean {
  return to === '/' ? here === '/' : here === to || here.startsWith(`${to}/`);
}

function UserMenu() {
  const { person: user, organization } = useSession();
  const [scheme, setScheme] = useScheme();
  const signOut = useSignOut();
  const [, go] = useLocation();
  const name = user?.name ?? 'API key';
  return (
    <Menu
      label={
        <>
          <span className="user-initial" aria-hidden="true">
            {name.slice(0, 1).toUpperCase()}
          </span>
          <span className="user-lines">
            <span>{name}</span>
            <span className="faint">{organization.name}</span>
          </span>
        </>
      }
      className="user-menu"
      items={[
        ...schemes.map((each) => ({
          label: { system: 'System colors', light: 'Light', dark: 'Dark' }[each],
          icon: ({ system: 'screen', light: 'sun', dark: 'moon' } as const)[each],
          checked: scheme === each,
          act: () => setScheme(each),
        })),
        'line',
        ...(user === null
          ? []
          : [{ label: 'Change password', icon: 'key', act: () => go('/users?password=1') } as const]),
        { label: 'Sign out', icon: 'leave', act: () => signOut.mutate() },
      ]}
    />
  );
}
