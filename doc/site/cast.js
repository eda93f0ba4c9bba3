// SPDX-License-Identifier: GPL-3.0-or-later
// A player for the screens of a page: one at a time, with buttons, keys and a timer. Without it all screens follow.
for (const list of document.querySelectorAll('ol.cast')) {
	const screens = [...list.children];
	const bar = document.createElement('p');
	const count = document.createElement('output');
	let at = 0;
	let timer = null;
	const show = (to) => {
		at = Math.max(0, Math.min(screens.length - 1, to));
		screens.forEach((screen, i) => { screen.hidden = i !== at; });
		count.textContent = ` ${at + 1} of ${screens.length}`;
		if (at === screens.length - 1)
			stop();
	};
	const stop = () => {
		clearInterval(timer);
		timer = null;
		play.textContent = 'play';
	};
	const button = (text, act) => {
		const made = document.createElement('button');
		made.textContent = text;
		made.addEventListener('click', act);
		bar.append(made, ' ');
		return made;
	};
	button('back', () => { stop(); show(at - 1); });
	const play = button('play', () => {
		if (timer !== null)
			return stop();
		if (at === screens.length - 1)
			show(0);
		play.textContent = 'pause';
		timer = setInterval(() => show(at + 1), 3000);
	});
	button('next', () => { stop(); show(at + 1); });
	bar.append(count);
	list.before(bar);
	list.style.listStyle = 'none';
	list.style.padding = 0;
	show(0);
}
