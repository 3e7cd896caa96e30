/**
 * Written by `npm run code-themes` from the themes that Shiki publishes: background, text, then comments, keywords, strings,
 * numbers, functions, types, properties, tags, variables, operators, inserted and deleted text.
 */
export const codeThemes: Record<string, string> = {
  andromeeda:
    '#23262e #d5ced9 #87888f #c74ded #96e072 #f39c12 #ffe66d #ffe66d #c74ded #f92672 #00e8c6 #ee5d43 #96e072 #ee5d43',
  'aurora-x':
    '#07090f #d4d4d4 #546e7a #89ddff #c3e88d #f78c6c #82aaff #ffcb6b #b2ccd6 #f07178 #eeffff #c792ea #c3e88d #ff5370',
  'ayu-dark':
    '#10141c #bfbdb6 #5a6673 #ff8f40 #aad94c #d2a6ff #ffb454 #59c2ff #39bae6 #39bae6 #bfbdb6 #f29668 #70bf56 #f26d78',
  'ayu-light':
    '#fcfcfc #5c6166 #adaeb1 #fa8532 #86b300 #a37acc #eba400 #22a4e6 #55b4d4 #55b4d4 #5c6166 #f2a191 #6cbf43 #ff7383',
  'ayu-mirage':
    '#242936 #cccac2 #6e7c8f #ffa659 #d5ff80 #dfbfff #ffcd66 #73d0ff #5ccfe6 #5ccfe6 #cccac2 #f29e74 #87d96c #f27983',
  'catppuccin-frappe':
    '#303446 #c6d0f5 #949cbb #ca9ee6 #a6d189 #ef9f76 #8caaee #e5c890 #e5c890 #8caaee #c6d0f5 #81c8be #c6d0f5 #c6d0f5',
  'catppuccin-latte':
    '#eff1f5 #4c4f69 #7c7f93 #8839ef #40a02b #fe640b #1e66f5 #df8e1d #df8e1d #1e66f5 #4c4f69 #179299 #4c4f69 #4c4f69',
  'catppuccin-macchiato':
    '#24273a #cad3f5 #939ab7 #c6a0f6 #a6da95 #f5a97f #8aadf4 #eed49f #eed49f #8aadf4 #cad3f5 #8bd5ca #cad3f5 #cad3f5',
  'catppuccin-mocha':
    '#1e1e2e #cdd6f4 #9399b2 #cba6f7 #a6e3a1 #fab387 #89b4fa #f9e2af #f9e2af #89b4fa #cdd6f4 #94e2d5 #cdd6f4 #cdd6f4',
  'dark-plus':
    '#1e1e1e #d4d4d4 #6a9955 #c586c0 #ce9178 #b5cea8 #dcdcaa #4ec9b0 #9cdcfe #569cd6 #9cdcfe #d4d4d4 #b5cea8 #ce9178',
  dracula:
    '#282a36 #f8f8f2 #6272a4 #ff79c6 #f1fa8c #bd93f9 #50fa7b #8be9fd #8be9fd #ff79c6 #f8f8f2 #ff79c6 #50fa7b #ff5555',
  'dracula-soft':
    '#282a36 #f6f6f4 #7b7f8b #f286c4 #e7ee98 #bf9eee #62e884 #97e1f1 #97e1f1 #f286c4 #f6f6f4 #f286c4 #62e884 #ee6666',
  'everforest-dark':
    '#2d353b #d3c6aa #859289 #e67e80 #dbbc7f #d699b6 #a7c080 #7fbbb3 #7fbbb3 #e69875 #d3c6aa #e69875 #d3c6aa #d3c6aa',
  'everforest-light':
    '#fdf6e3 #5c6a72 #939f91 #f85552 #dfa000 #df69ba #8da101 #3a94c5 #3a94c5 #f57d26 #5c6a72 #f57d26 #5c6a72 #5c6a72',
  'github-dark':
    '#24292e #e1e4e8 #6a737d #f97583 #9ecbff #79b8ff #b392f0 #b392f0 #79b8ff #85e89d #e1e4e8 #f97583 #85e89d #fdaeb7',
  'github-dark-default':
    '#0d1117 #e6edf3 #8b949e #ff7b72 #a5d6ff #79c0ff #d2a8ff #ffa657 #79c0ff #7ee787 #e6edf3 #ff7b72 #7ee787 #ffa198',
  'github-dark-dimmed':
    '#22272e #adbac7 #768390 #f47067 #96d0ff #6cb6ff #dcbdfb #f69d50 #6cb6ff #8ddb8c #adbac7 #f47067 #8ddb8c #ff938a',
  'github-dark-high-contrast':
    '#0a0c10 #f0f3f6 #bdc4cc #ff9492 #addcff #91cbff #dbb7ff #ffb757 #91cbff #72f088 #f0f3f6 #ff9492 #72f088 #ffb1af',
  'github-light':
    '#ffffff #24292e #6a737d #d73a49 #032f62 #005cc5 #6f42c1 #6f42c1 #005cc5 #22863a #24292e #d73a49 #22863a #b31d28',
  'github-light-default':
    '#ffffff #1f2328 #6e7781 #cf222e #0a3069 #0550ae #8250df #953800 #0550ae #116329 #1f2328 #cf222e #116329 #82071e',
  'github-light-high-contrast':
    '#ffffff #0e1116 #66707b #a0111f #032563 #023b95 #622cbc #702c00 #023b95 #024c1a #0e1116 #a0111f #024c1a #6e011a',
  'gruvbox-dark-hard':
    '#1d2021 #ebdbb2 #928374 #fb4934 #b8bb26 #d3869b #fabd2f #fabd2f #689d6a #8ec07c #83a598 #8ec07c #b8bb26 #d65d0e',
  'gruvbox-dark-medium':
    '#282828 #ebdbb2 #928374 #fb4934 #b8bb26 #d3869b #fabd2f #fabd2f #689d6a #8ec07c #83a598 #8ec07c #b8bb26 #d65d0e',
  'gruvbox-dark-soft':
    '#32302f #ebdbb2 #928374 #fb4934 #b8bb26 #d3869b #fabd2f #fabd2f #689d6a #8ec07c #83a598 #8ec07c #b8bb26 #d65d0e',
  'gruvbox-light-hard':
    '#f9f5d7 #3c3836 #928374 #9d0006 #79740e #8f3f71 #b57614 #b57614 #689d6a #427b58 #076678 #427b58 #79740e #d65d0e',
  'gruvbox-light-medium':
    '#fbf1c7 #3c3836 #928374 #9d0006 #79740e #8f3f71 #b57614 #b57614 #689d6a #427b58 #076678 #427b58 #79740e #d65d0e',
  'gruvbox-light-soft':
    '#f2e5bc #3c3836 #928374 #9d0006 #79740e #8f3f71 #b57614 #b57614 #689d6a #427b58 #076678 #427b58 #79740e #d65d0e',
  horizon:
    '#1c1e26 #d4d4d4 #4c4d53 #a96ec9 #e4a88a #db887a #24a2ad #e4b28f #d55170 #d55170 #d55170 #bbbbbb #d4d4d4 #d4d4d4',
  'horizon-bright':
    '#fdf0ed #24292e #989190 #8a31b9 #f6661e #dc3318 #1d8991 #f77d26 #da103f #da103f #da103f #333333 #24292e #24292e',
  houston:
    '#17191e #eef0f9 #909299 #54b9ff #ffd493 #ffd493 #00daef #acafff #eef0f9 #54b9ff #4bf3c8 #eef0f9 #eef0f9 #eef0f9',
  'kanagawa-dragon':
    '#181616 #c5c9c5 #737c73 #8992a7 #8a9a7b #a292a3 #8ba4b0 #8ea4a2 #8ea4a2 #c4b28a #c5c9c5 #c4b28a #76946a #c34043',
  'kanagawa-lotus':
    '#f2ecbc #545464 #716e61 #624c83 #6f894e #b35b79 #4d699b #597b75 #597b75 #77713f #545464 #77713f #6e915f #d7474b',
  'kanagawa-wave':
    '#1f1f28 #dcd7ba #727169 #957fb8 #98bb6c #d27e99 #7e9cd8 #7aa89f #7aa89f #e6c384 #dcd7ba #e6c384 #76946a #c34043',
  laserwave:
    '#27212e #ffffff #91889b #40b4c4 #b4dce7 #b381c5 #eb64b9 #a96bc0 #eb64b9 #74dfc4 #ffffff #74dfc4 #74dfc4 #eb64b9',
  'light-plus':
    '#ffffff #000000 #008000 #af00db #a31515 #098658 #795e26 #267f99 #e50000 #800000 #001080 #000000 #098658 #a31515',
  'material-theme':
    '#263238 #eeffff #546e7a #89ddff #c3e88d #f78c6c #82aaff #ffcb6b #ffcb6b #f07178 #eeffff #89ddff #c3e88d #f07178',
  'material-theme-darker':
    '#212121 #eeffff #545454 #89ddff #c3e88d #f78c6c #82aaff #ffcb6b #ffcb6b #f07178 #eeffff #89ddff #c3e88d #f07178',
  'material-theme-lighter':
    '#fafafa #90a4ae #90a4ae #39adb5 #91b859 #f76d47 #6182b8 #e2931d #e2931d #e53935 #90a4ae #39adb5 #91b859 #e53935',
  'material-theme-ocean':
    '#0f111a #babed8 #464b5d #89ddff #c3e88d #f78c6c #82aaff #ffcb6b #ffcb6b #f07178 #babed8 #89ddff #c3e88d #f07178',
  'material-theme-palenight':
    '#292d3e #babed8 #676e95 #89ddff #c3e88d #f78c6c #82aaff #ffcb6b #ffcb6b #f07178 #babed8 #89ddff #c3e88d #f07178',
  'min-dark':
    '#1f1f1f #b392f0 #6b737c #f97583 #ffab70 #f8f8f8 #b392f0 #b392f0 #79b8ff #ffab70 #b392f0 #f97583 #b392f0 #b392f0',
  'min-light':
    '#ffffff #212121 #c2c3c5 #d32f2f #22863a #1976d2 #6f42c1 #6f42c1 #1976d2 #22863a #212121 #d32f2f #212121 #212121',
  monokai:
    '#272822 #f8f8f2 #88846f #f92672 #e6db74 #ae81ff #a6e22e #a6e22e #66d9ef #f92672 #f8f8f2 #f92672 #a6e22e #f92672',
  'night-owl':
    '#011627 #d6deeb #637777 #c792ea #ecc48d #f78c6c #82aaff #c5e478 #80cbc4 #caece6 #c5e478 #7fdbca #036a07 #ff0000',
  'night-owl-light':
    '#fbfbfb #403f53 #989fb1 #994cc3 #c96765 #aa0982 #4876d6 #4876d6 #0c969b #994cc3 #4876d6 #0c969b #403f53 #403f53',
  nord: '#2e3440 #d8dee9 #616e88 #81a1c1 #a3be8c #b48ead #88c0d0 #8fbcbb #8fbcbb #81a1c1 #d8dee9 #81a1c1 #a3be8c #bf616a',
  'one-dark-pro':
    '#282c34 #abb2bf #7f848e #c678dd #98c379 #d19a66 #61afef #e5c07b #abb2bf #e06c75 #e06c75 #abb2bf #98c379 #e06c75',
  'one-light':
    '#fafafa #383a42 #a0a1a7 #a626a4 #50a14f #986801 #4078f2 #c18401 #383a42 #e45649 #e45649 #383a42 #50a14f #e45649',
  plastic:
    '#21252b #a9b2c3 #5f6672 #e06c75 #98c379 #56b6c2 #b57edc #e5c07b #c6ccd7 #e5c07b #c6ccd7 #e06c75 #98c379 #e06c75',
  poimandres:
    '#1b1e28 #a6accd #5a5f79 #a6accd #5de4c7 #5de4c7 #add7ff #8489a4 #8489a4 #5de4c7 #e4f0fb #91b4d5 #add7ff #506477',
  red: '#390000 #f8f8f8 #e7c0c0 #f12727 #cd8d8d #994646 #fec758 #fec758 #9df39f #fec758 #fb9a4b #f12727 #41a83e #ec9799',
  'rose-pine':
    '#191724 #e0def4 #6e6a86 #31748f #f6c177 #ebbcba #ebbcba #9ccfd8 #9ccfd8 #9ccfd8 #e0def4 #31748f #e0def4 #e0def4',
  'rose-pine-dawn':
    '#faf4ed #575279 #9893a5 #286983 #ea9d34 #d7827e #d7827e #56949f #56949f #56949f #575279 #286983 #575279 #575279',
  'rose-pine-moon':
    '#232136 #e0def4 #6e6a86 #3e8fb0 #f6c177 #ea9a97 #ea9a97 #9ccfd8 #9ccfd8 #9ccfd8 #e0def4 #3e8fb0 #e0def4 #e0def4',
  'slack-dark':
    '#222222 #e6e6e6 #6a9955 #c586c0 #ce9178 #b5cea8 #dcdcaa #4ec9b0 #9cdcfe #569cd6 #9cdcfe #d4d4d4 #b5cea8 #ce9178',
  'slack-ochin':
    '#ffffff #000000 #357b42 #7b30d0 #a44185 #174781 #7eb233 #0444ac #dc3eb7 #0444ac #2f86d2 #7b30d0 #000000 #000000',
  'snazzy-light':
    '#fafbfc #565869 #adb1c2 #f767bb #cf9c00 #ff5c57 #09a1ed #13bbb7 #11658f #13bbb7 #565869 #adb1c2 #888888 #888888',
  'solarized-dark':
    '#002b36 #839496 #586e75 #859900 #2aa198 #d33682 #268bd2 #cb4b16 #859900 #268bd2 #268bd2 #859900 #859900 #dc322f',
  'solarized-light':
    '#fdf6e3 #657b83 #93a1a1 #859900 #2aa198 #d33682 #268bd2 #cb4b16 #859900 #268bd2 #268bd2 #859900 #859900 #dc322f',
  'synthwave-84':
    '#262335 #d4d4d4 #848bbd #fede5d #ff8b39 #f97e72 #36f9f6 #fe4450 #ff7edb #72f1b8 #ff7edb #fede5d #d4d4d4 #d4d4d4',
  'tokyo-night':
    '#1a1b26 #a9b1d6 #51597d #bb9af7 #9ece6a #ff9e64 #7aa2f7 #c0caf5 #0db9d7 #f7768e #c0caf5 #89ddff #449dab #914c54',
  vesper:
    '#101010 #ffffff #575757 #a0a0a0 #99ffe4 #ffc799 #ffc799 #ffc799 #ffc799 #ffc799 #ffffff #a0a0a0 #99ffe4 #ff8080',
  'vitesse-black':
    '#000000 #afaca2 #657365 #4d9375 #c98a7d #4c9a91 #80a665 #5da994 #b8a965 #4d9375 #bd976a #cb7676 #85e89d #fdaeb7',
  'vitesse-dark':
    '#121212 #cecabe #687668 #4d9375 #c98a7d #4c9a91 #80a665 #5da994 #b8a965 #4d9375 #bd976a #cb7676 #85e89d #fdaeb7',
  'vitesse-light':
    '#ffffff #393a34 #a0ada0 #1e754f #b56959 #2f798a #59873a #2e8f82 #998418 #1e754f #b07d48 #ab5959 #22863a #b31d28',
};
