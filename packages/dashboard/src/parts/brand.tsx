import { Link } from 'wouter';

export function Brand() {
  return (
    <Link to="/" className="brand">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="#0f766e" />
        <path d="M10 5h8.5L24 10.5V20H10z" fill="#fff" />
        <path d="M18.5 5v5.5H24z" fill="#8ce3d6" />
        <path d="M13 13.3h7.5M13 16.6h5" stroke="#0f766e" strokeWidth="1.6" strokeLinecap="round" />
        <path
          d="M5 24c1.8 0 1.8 1.7 3.7 1.7S10.5 24 12.3 24s1.8 1.7 3.7 1.7S17.8 24 19.7 24s1.8 1.7 3.6 1.7S25.2 24 27 24"
          fill="none"
          stroke="#8ce3d6"
          strokeWidth="2.1"
          strokeLinecap="round"
        />
      </svg>
      Docyard
    </Link>
  );
}
