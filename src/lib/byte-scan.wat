;; Finds a short text in bytes that lie in this module's memory, 64 of them at a time.
;;
;; Two bytes of the text, chosen for being rare, are compared at once ("packed pair"); where both are right the rest is
;; compared byte by byte. A mask of bits for each byte of the text is set in what is compared with it, which makes an
;; ASCII letter match in either case.
;;
;; Letters outside ASCII can stand for letters of the text (é for e, ﬁ for fi, a combining accent for nothing). Which
;; ones they are, this module does not know; it gives places where such a character fills a gap in the text exactly
;; ("loose" ones), and the caller looks at them.
;;
;; Built into byte-scan.gen.ts by scripts/gen-wasm.mjs.
(module
  (memory (export "memory") 11)

  ;; 256 entries of 64 bits, by first byte of a character: which second bytes make it one that can stand for a letter.
  (global $table i32 (i32.const 1024))
  ;; Four bytes for `find` itself, and one that tells whether the place found last is a loose one.
  (global $scratch i32 (i32.const 512))
  ;; First byte that may be looked at.
  (global $base i32 (i32.const 65536))

  (func $lower (param $byte i32) (result i32)
    (select
      (i32.or (local.get $byte) (i32.const 32))
      (local.get $byte)
      (i32.lt_u (i32.sub (local.get $byte) (i32.const 65)) (i32.const 26))))

  ;; Whether the text stands at $at. Text at $text, its masks behind it.
  (func $stands (param $at i32) (param $text i32) (param $length i32) (result i32)
    (local $k i32)
    (loop $next
      (if (i32.ne
            (i32.or
              (i32.load8_u (i32.add (local.get $at) (local.get $k)))
              (i32.load8_u (i32.add (i32.add (local.get $text) (local.get $length)) (local.get $k))))
            (i32.load8_u (i32.add (local.get $text) (local.get $k))))
        (then (return (i32.const 0))))
      (local.set $k (i32.add (local.get $k) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $k) (local.get $length))))
    (i32.const 1))

  ;; Bytes of the character at $at if it can stand for a letter, else 0.
  (func $foldable (param $at i32) (result i32)
    (local $first i32) (local $second i32)
    (local.set $first (i32.load8_u (local.get $at)))
    (local.set $second (i32.load8_u offset=1 (local.get $at)))
    (if (i32.lt_u (local.get $first) (i32.const 0xc2)) (then (return (i32.const 0))))
    (if (i32.ne (i32.and (local.get $second) (i32.const 0xc0)) (i32.const 0x80)) (then (return (i32.const 0))))
    (if (i64.eqz
          (i64.and
            (i64.load (i32.add (global.get $table) (i32.shl (local.get $first) (i32.const 3))))
            (i64.shl (i64.const 1) (i64.extend_i32_u (i32.and (local.get $second) (i32.const 0x3f))))))
      (then (return (i32.const 0))))
    (if (i32.lt_u (local.get $first) (i32.const 0xe0)) (then (return (i32.const 2))))
    (if (i32.lt_u (local.get $first) (i32.const 0xf0)) (then (return (i32.const 3))))
    (i32.const 4))

  ;; Whether the text could stand around the character of $width bytes at $at, if that stood for whatever is missing:
  ;; for nothing, or for up to two letters (ĳ, ½), three if it is one of three bytes or more (ﬃ). Another character outside
  ;; ASCII fits everywhere.
  (func $fits (param $at i32) (param $width i32) (param $end i32) (param $text i32) (param $length i32) (result i32)
    (local $k i32) (local $m i32) (local $p i32) (local $byte i32) (local $gap i32)
    (loop $split
      ;; The first $k letters before the character …
      (block $mismatch
        (local.set $m (local.get $k))
        (local.set $p (local.get $at))
        (block $fitting
          (loop $back
            (br_if $fitting (i32.eqz (local.get $m)))
            (local.set $m (i32.sub (local.get $m) (i32.const 1)))
            (local.set $p (i32.sub (local.get $p) (i32.const 1)))
            (br_if $mismatch (i32.lt_u (local.get $p) (global.get $base)))
            (local.set $byte (i32.load8_u (local.get $p)))
            (br_if $fitting (i32.ge_u (local.get $byte) (i32.const 0x80)))
            (br_if $mismatch
              (i32.ne (call $lower (local.get $byte)) (i32.load8_u (i32.add (local.get $text) (local.get $m)))))
            (br $back)))
        ;; … and the rest behind it, but for those that are filled in.
        (local.set $gap (i32.const 0))
        (loop $gaps
          (block $otherwise
            (local.set $m (i32.add (local.get $k) (local.get $gap)))
            (br_if $mismatch (i32.gt_u (local.get $m) (local.get $length)))
            (local.set $p (i32.add (local.get $at) (local.get $width)))
            (loop $on
              (if (i32.ge_u (local.get $m) (local.get $length)) (then (return (i32.const 1))))
              (br_if $otherwise (i32.ge_u (local.get $p) (local.get $end)))
              (local.set $byte (i32.load8_u (local.get $p)))
              (if (i32.ge_u (local.get $byte) (i32.const 0x80)) (then (return (i32.const 1))))
              (br_if $otherwise
                (i32.ne (call $lower (local.get $byte)) (i32.load8_u (i32.add (local.get $text) (local.get $m)))))
              (local.set $m (i32.add (local.get $m) (i32.const 1)))
              (local.set $p (i32.add (local.get $p) (i32.const 1)))
              (br $on)))
          (local.set $gap (i32.add (local.get $gap) (i32.const 1)))
          (br_if $gaps
            (i32.le_u (local.get $gap) (select (i32.const 2) (i32.const 3) (i32.eq (local.get $width) (i32.const 2)))))))
      (local.set $k (i32.add (local.get $k) (i32.const 1)))
      (br_if $split (i32.le_u (local.get $k) (local.get $length))))
    (i32.const 0))

  ;; Among the places marked in $bits, counted from $from, but not before $least: one where the text stands, or -1.
  (func $exact
    (param $bits i32) (param $from i32) (param $least i32) (param $end i32) (param $text i32) (param $length i32)
    (result i32)
    (local $at i32)
    (block $none
      (loop $next
        (br_if $none (i32.eqz (local.get $bits)))
        (local.set $at (i32.add (local.get $from) (i32.ctz (local.get $bits))))
        (if (i32.and
              (i32.ge_s (local.get $at) (local.get $least))
              (i32.le_u (i32.add (local.get $at) (local.get $length)) (local.get $end)))
          (then
            (if (call $stands (local.get $at) (local.get $text) (local.get $length))
              (then (return (local.get $at))))))
        (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
        (br $next)))
    (i32.const -1))

  ;; Which of the 16 bytes at $from may begin a character that can stand for a letter; those of scripts that cannot and
  ;; fill whole files (Greek to Hebrew and beyond, CJK) are sorted out here.
  (func $leads (param $from i32) (result i32)
    (local $x v128)
    (local.set $x (v128.load (local.get $from)))
    (i8x16.bitmask
      (v128.andnot
        (i8x16.gt_u (local.get $x) (i8x16.splat (i32.const 0xc1)))
        (v128.or
          (i8x16.lt_u (i8x16.sub (local.get $x) (i8x16.splat (i32.const 0xce))) (i8x16.splat (i32.const 0x13)))
          (i8x16.lt_u (i8x16.sub (local.get $x) (i8x16.splat (i32.const 0xe4))) (i8x16.splat (i32.const 6)))))))

  ;; Among the 16 bytes at $from: one that begins a loose place, or -1.
  (func $loosely (param $from i32) (param $end i32) (param $text i32) (param $length i32) (result i32)
    (local $bits i32) (local $at i32) (local $width i32)
    (local.set $bits (call $leads (local.get $from)))
    (block $none
      (loop $next
        (br_if $none (i32.eqz (local.get $bits)))
        (local.set $at (i32.add (local.get $from) (i32.ctz (local.get $bits))))
        (br_if $none (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $width (call $foldable (local.get $at)))
        (if (local.get $width)
          (then
            (if (call $fits (local.get $at) (local.get $width) (local.get $end) (local.get $text) (local.get $length))
              (then (return (local.get $at))))))
        (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
        (br $next)))
    (i32.const -1))

  ;; Among the 64 bytes at $q, where the first rare byte is looked for: a place of the text, or -1.
  (func $exactly
    (param $q i32) (param $from i32) (param $end i32) (param $text i32) (param $length i32) (param $i i32) (param $j i32)
    (result i32)
    (local $a v128) (local $b v128) (local $maskA v128) (local $maskB v128) (local $s i32) (local $last i32) (local $r i32)
    (local.set $r (i32.add (local.get $text) (local.get $length)))
    (local.set $a (v128.load8_splat (i32.add (local.get $text) (local.get $i))))
    (local.set $b (v128.load8_splat (i32.add (local.get $text) (local.get $j))))
    (local.set $maskA (v128.load8_splat (i32.add (local.get $r) (local.get $i))))
    (local.set $maskB (v128.load8_splat (i32.add (local.get $r) (local.get $j))))
    (local.set $s (i32.sub (local.get $j) (local.get $i)))
    (local.set $last (i32.add (local.get $q) (i32.const 64)))
    (loop $next
      (local.set $r
        (i8x16.bitmask
          (v128.and
            (i8x16.eq (v128.or (v128.load (local.get $q)) (local.get $maskA)) (local.get $a))
            (i8x16.eq (v128.or (v128.load (i32.add (local.get $q) (local.get $s))) (local.get $maskB)) (local.get $b)))))
      (if (local.get $r)
        (then
          (local.set $r
            (call $exact
              (local.get $r)
              (i32.sub (local.get $q) (local.get $i))
              (local.get $from) (local.get $end) (local.get $text) (local.get $length)))
          (if (i32.ge_s (local.get $r) (i32.const 0)) (then (return (local.get $r))))))
      (local.set $q (i32.add (local.get $q) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $q) (local.get $last))))
    (i32.const -1))

  ;; The same for loose places.
  (func $looselyWithin (param $q i32) (param $end i32) (param $text i32) (param $length i32) (result i32)
    (local $last i32) (local $r i32)
    (local.set $last (i32.add (local.get $q) (i32.const 64)))
    (loop $next
      (local.set $r (call $loosely (local.get $q) (local.get $end) (local.get $text) (local.get $length)))
      (if (i32.ge_s (local.get $r) (i32.const 0)) (then (i32.store8 offset=4 (global.get $scratch) (i32.const 1)) (return (local.get $r))))
      (local.set $q (i32.add (local.get $q) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $q) (local.get $last))))
    (i32.const -1))

  ;; A place of the text in $from .. $end, or -1; the first in most cases. $i and $j are the offsets of the two rare bytes. Up to 64 + $length bytes
  ;; behind $end are read and must not matter. $isLoose: 128 for loose places too, else 0. $escapes: 255 to stop with -2 at a
  ;; letter that is written as \uXXXX, else 0.
  (func (export "find")
    (param $from i32) (param $end i32) (param $text i32) (param $length i32) (param $i i32) (param $j i32)
    (param $isLoose i32) (param $escapes i32) (result i32)
    (local $a v128) (local $b v128) (local $maskA v128) (local $maskB v128) (local $high v128) (local $c1 v128) (local $e2 v128)
    (local $x0 v128) (local $x1 v128) (local $x2 v128) (local $x3 v128) (local $m v128) (local $e v128)
    (local $u v128) (local $wanted v128)
    (local $q i32) (local $s i32) (local $r i32) (local $isPair i32) (local $isEscape i32) (local $isLead i32)
    (i32.store8 offset=4 (global.get $scratch) (i32.const 0))
    (local.set $r (i32.add (local.get $text) (local.get $length)))
    ;; Loads stay where they are; what is made of numbers would be made anew for each block.
    (local.set $a (v128.load8_splat (i32.add (local.get $text) (local.get $i))))
    (local.set $b (v128.load8_splat (i32.add (local.get $text) (local.get $j))))
    (local.set $maskA (v128.load8_splat (i32.add (local.get $r) (local.get $i))))
    (local.set $maskB (v128.load8_splat (i32.add (local.get $r) (local.get $j))))
    (i32.store8 (global.get $scratch) (local.get $isLoose))
    (i32.store8 offset=1 (global.get $scratch) (local.get $escapes))
    (i32.store16 offset=2 (global.get $scratch) (i32.const 0x755c))
    (local.set $high (v128.load8_splat (global.get $scratch)))
    (local.set $wanted (v128.load8_splat offset=1 (global.get $scratch)))
    (local.set $u (v128.load16_splat offset=2 (global.get $scratch)))
    (local.set $c1 (i8x16.splat (i32.const 0xc1)))
    (local.set $e2 (i8x16.splat (i32.const 0xe2)))
    ;; $q is where the first rare byte is looked for, $s where the second.
    (local.set $q (local.get $from))
    (local.set $s (i32.add (local.get $from) (i32.sub (local.get $j) (local.get $i))))
    (block $none
      (loop $next
        (br_if $none (i32.ge_u (local.get $q) (local.get $end)))
        (local.set $x0 (v128.load offset=0 (local.get $q)))
        (local.set $x1 (v128.load offset=16 (local.get $q)))
        (local.set $x2 (v128.load offset=32 (local.get $q)))
        (local.set $x3 (v128.load offset=48 (local.get $q)))
        (local.set $m
          (v128.or
            (v128.or
              (v128.and
                (i8x16.eq (v128.or (local.get $x0) (local.get $maskA)) (local.get $a))
                (i8x16.eq (v128.or (v128.load offset=0 (local.get $s)) (local.get $maskB)) (local.get $b)))
              (v128.and
                (i8x16.eq (v128.or (local.get $x1) (local.get $maskA)) (local.get $a))
                (i8x16.eq (v128.or (v128.load offset=16 (local.get $s)) (local.get $maskB)) (local.get $b))))
            (v128.or
              (v128.and
                (i8x16.eq (v128.or (local.get $x2) (local.get $maskA)) (local.get $a))
                (i8x16.eq (v128.or (v128.load offset=32 (local.get $s)) (local.get $maskB)) (local.get $b)))
              (v128.and
                (i8x16.eq (v128.or (local.get $x3) (local.get $maskA)) (local.get $a))
                (i8x16.eq (v128.or (v128.load offset=48 (local.get $s)) (local.get $maskB)) (local.get $b))))))
        ;; A backslash and a u, at even places or at odd ones.
        (local.set $e
          (v128.and
            (local.get $wanted)
            (v128.or
              (v128.or
                (v128.or
                  (i16x8.eq (local.get $x0) (local.get $u))
                  (i16x8.eq
                    (i8x16.shuffle 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 (local.get $x0) (local.get $x1))
                    (local.get $u)))
                (v128.or
                  (i16x8.eq (local.get $x1) (local.get $u))
                  (i16x8.eq
                    (i8x16.shuffle 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 (local.get $x1) (local.get $x2))
                    (local.get $u))))
              (v128.or
                (v128.or
                  (i16x8.eq (local.get $x2) (local.get $u))
                  (i16x8.eq
                    (i8x16.shuffle 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 (local.get $x2) (local.get $x3))
                    (local.get $u)))
                (v128.or
                  (i16x8.eq (local.get $x3) (local.get $u))
                  (i16x8.eq
                    (v128.load offset=49 (local.get $q))
                    (local.get $u)))))))
        (if (v128.any_true
              (v128.or
                (v128.or (local.get $m) (local.get $e))
                (v128.and
                  (local.get $high)
                  (v128.or
                    (v128.or (local.get $x0) (local.get $x1))
                    (v128.or (local.get $x2) (local.get $x3))))))
          (then
            ;; Numbers before anything is called: vectors that are needed after a call would be put aside for every block.
            (local.set $isPair (v128.any_true (local.get $m)))
            (local.set $isEscape (v128.any_true (local.get $e)))
            ;; Dashes, quotes, arrows, boxes and check marks begin with E2, stand in every terminal's output, and fold to
            ;; nothing; so do the bytes inside of characters.
            (local.set $isLead
              (v128.any_true
                (v128.and
                  (local.get $high)
                  (v128.or
                    (v128.or
                      (v128.andnot (i8x16.gt_u (local.get $x0) (local.get $c1)) (i8x16.eq (local.get $x0) (local.get $e2)))
                      (v128.andnot (i8x16.gt_u (local.get $x1) (local.get $c1)) (i8x16.eq (local.get $x1) (local.get $e2))))
                    (v128.or
                      (v128.andnot (i8x16.gt_u (local.get $x2) (local.get $c1)) (i8x16.eq (local.get $x2) (local.get $e2)))
                      (v128.andnot (i8x16.gt_u (local.get $x3) (local.get $c1)) (i8x16.eq (local.get $x3) (local.get $e2))))))))
            (if (local.get $isPair)
              (then
                (local.set $r
                  (call $exactly
                    (local.get $q) (local.get $from) (local.get $end)
                    (local.get $text) (local.get $length) (local.get $i) (local.get $j)))
                (if (i32.ge_s (local.get $r) (i32.const 0)) (then (return (local.get $r))))))
            (if (local.get $isLead)
              (then
                (local.set $r
                  (call $looselyWithin (local.get $q) (local.get $end) (local.get $text) (local.get $length)))
                (if (i32.ge_s (local.get $r) (i32.const 0)) (then (return (local.get $r))))))
            (if (local.get $isEscape)
              (then
                (if (call $escapesLetter (local.get $q)) (then (return (i32.const -2))))))))
        (local.set $q (i32.add (local.get $q) (i32.const 64)))
        (local.set $s (i32.add (local.get $s) (i32.const 64)))
        (br $next)))
    (i32.const -1))

  ;; The value of a hexadecimal digit; something beyond 0xffff for any other byte.
  (func $digit (param $byte i32) (result i32)
    (if (i32.lt_u (i32.sub (local.get $byte) (i32.const 0x30)) (i32.const 10))
      (then (return (i32.sub (local.get $byte) (i32.const 0x30)))))
    (local.set $byte (i32.sub (i32.or (local.get $byte) (i32.const 32)) (i32.const 0x61)))
    (select
      (i32.add (local.get $byte) (i32.const 10))
      (i32.const 0x10000)
      (i32.lt_u (local.get $byte) (i32.const 6))))

  ;; Whether the \uXXXX at $at may stand for a letter or digit: not for a control character, and not for what is known to
  ;; be none (signs, emoji, second halves of pairs, variation selectors). A backslash that is escaped itself begins none.
  (func $isEscapedLetter (param $at i32) (result i32)
    (local $unit i32) (local $before i32)
    (local.set $before (i32.sub (local.get $at) (i32.const 1)))
    (block $counted
      (loop $back
        (br_if $counted (i32.lt_u (local.get $before) (global.get $base)))
        (br_if $counted (i32.ne (i32.load8_u (local.get $before)) (i32.const 0x5c)))
        (local.set $before (i32.sub (local.get $before) (i32.const 1)))
        (br $back)))
    (if (i32.eqz (i32.and (i32.sub (local.get $at) (local.get $before)) (i32.const 1)))
      (then (return (i32.const 0))))
    (local.set $unit
      (i32.or
        (i32.or
          (i32.shl (call $digit (i32.load8_u offset=2 (local.get $at))) (i32.const 12))
          (i32.shl (call $digit (i32.load8_u offset=3 (local.get $at))) (i32.const 8)))
        (i32.or
          (i32.shl (call $digit (i32.load8_u offset=4 (local.get $at))) (i32.const 4))
          (call $digit (i32.load8_u offset=5 (local.get $at))))))
    ;; Also whatever is no escape at all.
    (if (i32.ge_u (local.get $unit) (i32.const 0xfff0)) (then (return (i32.const 0))))
    (if (i32.lt_u (local.get $unit) (i32.const 0xaa))
      (then
        (return
          (i32.or
            (i32.lt_u (i32.sub (local.get $unit) (i32.const 0x30)) (i32.const 10))
            (i32.lt_u (i32.sub (i32.or (local.get $unit) (i32.const 32)) (i32.const 0x61)) (i32.const 26))))))
    (i32.eqz
      (i32.or
        (i32.or
          (i32.lt_u (i32.sub (local.get $unit) (i32.const 0x2000)) (i32.const 0xc00))
          (i32.lt_u (i32.sub (local.get $unit) (i32.const 0xd83c)) (i32.const 3)))
        (i32.or
          (i32.lt_u (i32.sub (local.get $unit) (i32.const 0xdc00)) (i32.const 0x400))
          (i32.lt_u (i32.sub (local.get $unit) (i32.const 0xfe00)) (i32.const 16))))))

  ;; Whether a letter's escape begins in the 64 bytes at $from.
  (func $escapesLetter (param $from i32) (result i32)
    (local $last i32) (local $bits i32) (local $at i32) (local $backslash v128) (local $u v128) (local $m v128)
    (local.set $backslash (i8x16.splat (i32.const 0x5c)))
    (local.set $u (i8x16.splat (i32.const 0x75)))
    (local.set $last (i32.add (local.get $from) (i32.const 64)))
    (loop $block
      (local.set $m
        (v128.and
          (i8x16.eq (v128.load offset=0 (local.get $from)) (local.get $backslash))
          (i8x16.eq (v128.load offset=1 (local.get $from)) (local.get $u))))
      (block $none
        (br_if $none (i32.eqz (v128.any_true (local.get $m))))
        (local.set $bits (i8x16.bitmask (local.get $m)))
        (loop $next
          (br_if $none (i32.eqz (local.get $bits)))
          (local.set $at (i32.add (local.get $from) (i32.ctz (local.get $bits))))
          ;; Nearly all are control characters, 000X or 001X.
          (if (i32.ne (i32.and (i32.load offset=2 (local.get $at)) (i32.const 0x00feffff)) (i32.const 0x00303030))
            (then (if (call $isEscapedLetter (local.get $at)) (then (return (i32.const 1))))))
          (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
          (br $next)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br_if $block (i32.lt_u (local.get $from) (local.get $last))))
    (i32.const 0))

  ;; Whether a letter is written as \uXXXX in $from .. $end. Up to 80 bytes behind it are read and must not matter.
  (func $hasEscapedLetter (export "hasEscapedLetter") (param $from i32) (param $end i32) (result i32)
    (local $at i32) (local $last i32) (local $bits i32) (local $backslash v128) (local $u v128)
    (local.set $backslash (i8x16.splat (i32.const 0x5c)))
    (local.set $u (i8x16.splat (i32.const 0x75)))
    (block $done
      (loop $blocks
        (br_if $done (i32.ge_u (local.get $from) (local.get $end)))
        (local.set $last (i32.add (local.get $from) (i32.const 64)))
        (if (v128.any_true
            (v128.or
              (v128.or
              (v128.and
                (i8x16.eq (v128.load offset=0 (local.get $from)) (local.get $backslash))
                (i8x16.eq (v128.load offset=1 (local.get $from)) (local.get $u)))
              (v128.and
                (i8x16.eq (v128.load offset=16 (local.get $from)) (local.get $backslash))
                (i8x16.eq (v128.load offset=17 (local.get $from)) (local.get $u))))
              (v128.or
              (v128.and
                (i8x16.eq (v128.load offset=32 (local.get $from)) (local.get $backslash))
                (i8x16.eq (v128.load offset=33 (local.get $from)) (local.get $u)))
              (v128.and
                (i8x16.eq (v128.load offset=48 (local.get $from)) (local.get $backslash))
                (i8x16.eq (v128.load offset=49 (local.get $from)) (local.get $u))))))
          (then
            (loop $block
              (local.set $bits
                (i8x16.bitmask
              (v128.and
                (i8x16.eq (v128.load offset=0 (local.get $from)) (local.get $backslash))
                (i8x16.eq (v128.load offset=1 (local.get $from)) (local.get $u)))))
              (block $none
                (loop $next
                  (br_if $none (i32.eqz (local.get $bits)))
                  (local.set $at (i32.add (local.get $from) (i32.ctz (local.get $bits))))
                  (br_if $none (i32.gt_u (i32.add (local.get $at) (i32.const 6)) (local.get $end)))
                  (if (call $isEscapedLetter (local.get $at)) (then (return (i32.const 1))))
                  (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
                  (br $next)))
              (local.set $from (i32.add (local.get $from) (i32.const 16)))
              (br_if $block (i32.lt_u (local.get $from) (local.get $last))))))
        (local.set $from (local.get $last))
        (br $blocks)))
    (i32.const 0))

  ;; What lies behind $end must not look like more of it.
  (func (export "close") (param $end i32)
    (memory.fill (local.get $end) (i32.const 0) (i32.const 1024)))
)
