const english = {
  skip: 'Skip to the content',
  menu: 'Navigation menu',
  pages: 'Pages',
  sections: 'Sections',
  siteLinks: 'Site links',
  appearance: 'Switch between light and dark',
  contents: 'On this page',
  breadcrumbs: 'Breadcrumbs',
  neighbours: 'Previous and next page',
  previous: 'Previous',
  next: 'Next',
  updated: 'Last updated',
  deprecated: 'Deprecated',
  examples: 'Examples',
  notice: 'Notice',
  close: 'Close',
  filter: 'Filter',
  footer: 'Footer',
  product: 'Product',
  version: 'Version',
  language: 'Language',
  section: 'Section',
  copyPage: 'Copy page',
  copied: 'Copied',
  viewMarkdown: 'View as Markdown',
  openIn: 'Open in',
  more: 'More',
  editPage: 'Suggest an edit',
  raiseIssue: 'Report a problem',
  helpful: 'Was this page helpful?',
  yes: 'Yes',
  no: 'No',
  comment: 'What can we improve? (optional)',
  send: 'Send',
  thanks: 'Thank you for your feedback.',
  notSent: 'Your feedback could not be sent. Try again later.',
};

export type Words = typeof english;

const order = Object.keys(english) as (keyof Words)[];

/** One line per language, in the order of the English words. */
const lines: Record<string, string> = {
  de: 'Zum Inhalt springen|Navigationsmenü|Seiten|Bereiche|Links der Website|Zwischen hell und dunkel wechseln|Auf dieser Seite|Pfad|Vorige und nächste Seite|Zurück|Weiter|Zuletzt aktualisiert|Veraltet|Beispiele|Hinweis|Schließen|Filtern|Fußzeile|Produkt|Version|Sprache|Bereich|Seite kopieren|Kopiert|Als Markdown ansehen|Öffnen in|Mehr|Änderung vorschlagen|Problem melden|War diese Seite hilfreich?|Ja|Nein|Was können wir verbessern? (optional)|Senden|Danke für Ihre Rückmeldung.|Ihre Rückmeldung konnte nicht gesendet werden. Versuchen Sie es später noch einmal.',
  es: 'Saltar al contenido|Menú de navegación|Páginas|Secciones|Enlaces del sitio|Cambiar entre claro y oscuro|En esta página|Ruta|Página anterior y siguiente|Anterior|Siguiente|Última actualización|Obsoleto|Ejemplos|Aviso|Cerrar|Filtrar|Pie de página|Producto|Versión|Idioma|Sección|Copiar página|Copiado|Ver como Markdown|Abrir en|Más|Sugerir un cambio|Informar de un problema|¿Te ha resultado útil esta página?|Sí|No|¿Qué podemos mejorar? (opcional)|Enviar|Gracias por tus comentarios.|No se han podido enviar tus comentarios. Inténtalo más tarde.',
  fr: 'Aller au contenu|Menu de navigation|Pages|Sections|Liens du site|Basculer entre clair et sombre|Sur cette page|Fil d’Ariane|Page précédente et suivante|Précédent|Suivant|Dernière mise à jour|Obsolète|Exemples|Avis|Fermer|Filtrer|Pied de page|Produit|Version|Langue|Section|Copier la page|Copié|Voir en Markdown|Ouvrir dans|Plus|Proposer une modification|Signaler un problème|Cette page vous a-t-elle été utile ?|Oui|Non|Que pouvons-nous améliorer ? (facultatif)|Envoyer|Merci pour votre avis.|Votre avis n’a pas pu être envoyé. Réessayez plus tard.',
  it: 'Vai al contenuto|Menu di navigazione|Pagine|Sezioni|Link del sito|Passa tra chiaro e scuro|In questa pagina|Percorso|Pagina precedente e successiva|Precedente|Successivo|Ultimo aggiornamento|Obsoleto|Esempi|Avviso|Chiudi|Filtra|Piè di pagina|Prodotto|Versione|Lingua|Sezione|Copia pagina|Copiato|Vedi come Markdown|Apri in|Altro|Suggerisci una modifica|Segnala un problema|Questa pagina è stata utile?|Sì|No|Che cosa possiamo migliorare? (facoltativo)|Invia|Grazie per il tuo feedback.|Non è stato possibile inviare il feedback. Riprova più tardi.',
  pt: 'Ir para o conteúdo|Menu de navegação|Páginas|Seções|Links do site|Alternar entre claro e escuro|Nesta página|Caminho|Página anterior e próxima|Anterior|Próximo|Última atualização|Obsoleto|Exemplos|Aviso|Fechar|Filtrar|Rodapé|Produto|Versão|Idioma|Seção|Copiar página|Copiado|Ver como Markdown|Abrir em|Mais|Sugerir uma alteração|Relatar um problema|Esta página foi útil?|Sim|Não|O que podemos melhorar? (opcional)|Enviar|Agradecemos seu feedback.|Não foi possível enviar seu feedback. Tente novamente mais tarde.',
  ru: 'Перейти к содержанию|Меню навигации|Страницы|Разделы|Ссылки сайта|Переключить светлую и тёмную тему|На этой странице|Путь|Предыдущая и следующая страница|Назад|Далее|Последнее обновление|Устарело|Примеры|Объявление|Закрыть|Фильтр|Нижний колонтитул|Продукт|Версия|Язык|Раздел|Копировать страницу|Скопировано|Открыть как Markdown|Открыть в|Ещё|Предложить правку|Сообщить о проблеме|Была ли эта страница полезной?|Да|Нет|Что можно улучшить? (необязательно)|Отправить|Спасибо за отзыв.|Не удалось отправить отзыв. Повторите попытку позже.',
  zh: '跳到正文|导航菜单|页面|栏目|站点链接|切换浅色与深色|本页内容|路径|上一页和下一页|上一页|下一页|最后更新|已弃用|示例|公告|关闭|筛选|页脚|产品|版本|语言|栏目|复制页面|已复制|以 Markdown 查看|打开于|更多|建议修改|报告问题|此页面对您有帮助吗?|是|否|我们可以改进什么?(可选)|发送|感谢您的反馈。|无法发送您的反馈,请稍后重试。',
  'zh-hant':
    '跳到正文|導覽選單|頁面|分類|網站連結|切換淺色與深色|本頁內容|路徑|上一頁和下一頁|上一頁|下一頁|最後更新|已棄用|範例|公告|關閉|篩選|頁尾|產品|版本|語言|分類|複製頁面|已複製|以 Markdown 檢視|開啟於|更多|建議修改|回報問題|此頁面對您有幫助嗎?|是|否|我們可以改進什麼?(選填)|傳送|感謝您的意見回饋。|無法傳送您的意見回饋,請稍後再試。',
  ja: '本文へ移動|ナビゲーションメニュー|ページ|セクション|サイトのリンク|ライトとダークを切り替え|このページの内容|パンくずリスト|前後のページ|前へ|次へ|最終更新|非推奨|例|お知らせ|閉じる|絞り込み|フッター|製品|バージョン|言語|セクション|ページをコピー|コピーしました|Markdown で表示|次で開く|その他|編集を提案|問題を報告|このページは役に立ちましたか?|はい|いいえ|改善できる点をお聞かせください(任意)|送信|フィードバックをありがとうございます。|フィードバックを送信できませんでした。後でもう一度お試しください。',
  ko: '본문으로 건너뛰기|탐색 메뉴|페이지|섹션|사이트 링크|밝은 모드와 어두운 모드 전환|이 페이지의 내용|경로|이전 및 다음 페이지|이전|다음|마지막 업데이트|사용 중단|예시|알림|닫기|필터|바닥글|제품|버전|언어|섹션|페이지 복사|복사됨|Markdown으로 보기|다음에서 열기|더 보기|수정 제안|문제 신고|이 페이지가 도움이 되었나요?|예|아니요|어떤 점을 개선하면 좋을까요? (선택 사항)|보내기|의견을 보내 주셔서 감사합니다.|의견을 보내지 못했습니다. 나중에 다시 시도하세요.',
  ar: 'انتقل إلى المحتوى|قائمة التنقل|الصفحات|الأقسام|روابط الموقع|التبديل بين الفاتح والداكن|في هذه الصفحة|المسار|الصفحة السابقة والتالية|السابق|التالي|آخر تحديث|مهمل|أمثلة|إشعار|إغلاق|تصفية|تذييل|المنتج|الإصدار|اللغة|القسم|نسخ الصفحة|تم النسخ|عرض بصيغة Markdown|فتح في|المزيد|اقترح تعديلًا|أبلغ عن مشكلة|هل كانت هذه الصفحة مفيدة؟|نعم|لا|ما الذي يمكننا تحسينه؟ (اختياري)|إرسال|شكرًا على ملاحظاتك.|تعذّر إرسال ملاحظاتك. حاول مرة أخرى لاحقًا.',
  he: 'דילוג לתוכן|תפריט ניווט|עמודים|מדורים|קישורי האתר|מעבר בין בהיר לכהה|בעמוד זה|נתיב|העמוד הקודם והבא|הקודם|הבא|עודכן לאחרונה|הוצא משימוש|דוגמאות|הודעה|סגירה|סינון|כותרת תחתונה|מוצר|גרסה|שפה|מדור|העתקת העמוד|הועתק|הצגה כ-Markdown|פתיחה ב|עוד|הצעת עריכה|דיווח על בעיה|האם העמוד הזה עזר?|כן|לא|מה אפשר לשפר? (לא חובה)|שליחה|תודה על המשוב.|לא ניתן היה לשלוח את המשוב. כדאי לנסות שוב מאוחר יותר.',
};

const known = new Map<string, Words>();

export function wordsFor(language: string): Words {
  const key = dictionaryKey(language);
  const made = known.get(key) ?? wordsOf(Object.hasOwn(lines, key) ? lines[key] : undefined);
  known.set(key, made);
  return made;
}

export function dictionaryKey(language: string): string {
  const code = language.toLowerCase();
  return /^zh-(?:hant|tw|hk)/.test(code) ? 'zh-hant' : (code.split('-')[0] ?? 'en');
}

function wordsOf(line: string | undefined): Words {
  if (line === undefined) return english;
  const words = line.split('|');
  return Object.fromEntries(order.map((name, index) => [name, words[index] ?? english[name]])) as Words;
}

/** BCP 47 code; the format also accepts two country codes. */
export function languageCode(language: string): string {
  const other: Record<string, string> = { cn: 'zh', jp: 'ja', 'ja-jp': 'ja', 'fr-ca': 'fr-CA' };
  return other[language.toLowerCase()] ?? language;
}

export function isRightToLeft(language: string): boolean {
  return /^(?:ar|he|fa|ur|ps|sd|ug|yi|dv|ckb)(?:-|$)/i.test(language);
}

/** Languages are listed by their endonym. */
export function spokenName(label: string): string {
  const code = languageCode(label);
  const made = spokenNames.get(code) ?? nameOf(code, label);
  spokenNames.set(code, made);
  return made;
}

const spokenNames = new Map<string, string>();

function nameOf(code: string, label: string): string {
  try {
    const name = new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? label;
    return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
  } catch {
    return label;
  }
}
