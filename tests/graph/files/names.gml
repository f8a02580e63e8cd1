graph [
  node [
    id 0
    label "&#197;se &#38; Per"
  ]
  node [
    id 1
    label "&#34;quoted&#34;"
  ]
  node [
    id 2
    label "<tag>"
  ]
  node [
    id 3
    label "it's"
  ]
  node [
    id 4
    label "semi;colon"
  ]
  node [
    id 5
    label "comma, blank"
  ]
  node [
    id 6
    label "7"
  ]
  node [
    id 7
    label "-3"
  ]
  node [
    id 8
    label "&#937;mega"
  ]
  node [
    id 9
    label "a/b"
  ]
  node [
    id 10
    label "x"
  ]
  node [
    id 11
    label "y"
  ]
  edge [
    source 0
    target 6
    weight 1
  ]
  edge [
    source 0
    target 8
    weight 2
  ]
  edge [
    source 0
    target 9
    weight 3
  ]
  edge [
    source 0
    target 10
    weight 4
  ]
  edge [
    source 1
    target 6
    weight 5
  ]
  edge [
    source 1
    target 7
    weight 6
  ]
  edge [
    source 1
    target 9
    weight 7
  ]
  edge [
    source 1
    target 10
    weight 8
  ]
  edge [
    source 1
    target 11
    weight 9
  ]
  edge [
    source 2
    target 6
    weight 10
  ]
  edge [
    source 2
    target 7
    weight 11
  ]
  edge [
    source 2
    target 8
    weight 12
  ]
  edge [
    source 2
    target 10
    weight 13
  ]
  edge [
    source 2
    target 11
    weight 14
  ]
  edge [
    source 3
    target 7
    weight 15
  ]
  edge [
    source 3
    target 8
    weight 16
  ]
  edge [
    source 3
    target 9
    weight 17
  ]
  edge [
    source 3
    target 11
    weight 18
  ]
  edge [
    source 4
    target 6
    weight 19
  ]
  edge [
    source 4
    target 8
    weight 20
  ]
  edge [
    source 4
    target 9
    weight 21
  ]
  edge [
    source 4
    target 10
    weight 22
  ]
  edge [
    source 5
    target 6
    weight 23
  ]
  edge [
    source 5
    target 7
    weight 24
  ]
  edge [
    source 5
    target 9
    weight 25
  ]
  edge [
    source 5
    target 10
    weight 26
  ]
  edge [
    source 5
    target 11
    weight 27
  ]
]
