/** Catches the failure of one screen so that the rest of the dashboard stays usable. */
import { Component, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Button } from './button.tsx';
import { Empty, Panel } from './page.tsx';

export function ScreenBoundary({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  return <Boundary key={path}>{children}</Boundary>;
}

class Boundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <Panel>
        <Empty
          icon="warning"
          title="This screen cannot be shown"
          action={<Button onClick={() => globalThis.location.reload()}>Reload the page</Button>}
        >
          Its code did not load or failed. Reload the page to try again.
        </Empty>
      </Panel>
    );
  }
}
